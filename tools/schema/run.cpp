#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/run/columns.h"
#include "tools/run/report.h"
#include "tools/schema/schema.h"

namespace weft::tools::schema {

namespace {

using design::Design;
using design::ResultField;
using Keys = std::vector<Key>;

// The columns of the rows of every design, by their name in JSON and CSV.
const std::map<std::string, Json>& row_columns() {
  static const std::map<std::string, Json> all = [] {
    std::map<std::string, Json> columns;
    for (const Design* design : design::designs()) {
      for (const auto& column : run::row_columns(*design)) {
        const Json schema = of_type(column.type, column.unit, column.meaning);
        columns.emplace(column.name, schema);
        if (!column.csv.empty()) columns.emplace(column.csv, schema);
      }
    }
    return columns;
  }();
  return all;
}

Key column(const char* name, bool always = true) {
  const auto found = row_columns().find(name);
  if (found == row_columns().end()) throw Error(fmt::format("there is no column '{}'", name));
  return {name, found->second, always};
}

// Fields of all designs, each once. A result has those of its design.
template <class Fields>
Keys of_designs(Fields fields) {
  Keys keys;
  std::set<std::string> there;
  for (const Design* design : design::designs()) {
    for (Key& key : fields(*design)) {
      key.always = key.always && design::designs().size() == 1;
      if (there.insert(key.name).second) keys.push_back(std::move(key));
    }
  }
  return keys;
}
Keys keys_of(const std::vector<ResultField>& fields) {
  Keys keys;
  for (const ResultField& field : fields) {
    keys.push_back({field.name, of_type(field.type, field.unit, field.meaning)});
  }
  return keys;
}
void append(Keys& to, Keys keys) {
  std::move(keys.begin(), keys.end(), std::back_inserter(to));
}

// What the analytical rung does not know.
Key simulated(Key key) {
  key.always = false;
  return key;
}

Key pe_cycles() {
  const Keys classes = of_designs([](const Design& design) {
    Keys keys;
    for (const PeClassInfo& each : design.topology().pe_classes) {
      keys.push_back({each.name, or_nothing(integer("PE-cycles", fmt::format("PE-cycles {}", each.meaning)))});
    }
    return keys;
  });
  return {"pe_cycles",
          object("what the PEs did in each cycle, PEs times cycles in all; null where the rung does not know", classes),
          false};
}

// What a row, a kind and the network have.
Keys figures() {
  return {column("cycles"),
          column("macs"),
          column("time_s"),
          column("gops"),
          column("array_utilisation"),
          pe_cycles(),
          simulated(column("stall_share")),
          simulated(column("ddr_efficiency")),
          simulated(column("analytical_error"))};
}

Json axis(const char* meaning, bool down) {
  const auto of = [&](const char* name, const char* column_down, const char* column_across) {
    return Key{name, column(down ? column_down : column_across).schema};
  };
  return object(meaning, {of("size", "height", "width"),
                          of("kernel", "kernel_h", "kernel_w"),
                          of("stride", "stride_h", "stride_w"),
                          of("pad_begin", "pad_top", "pad_left"),
                          of("pad_end", "pad_bottom", "pad_right"),
                          of("dilation", "dilation_h", "dilation_w"),
                          {"out", integer("pixels", "size of the layer's output")}});
}

Json blocks() {
  return object("what each block did in the cycles; a block's four sum to the cycles",
                of_designs([](const Design& design) {
                  Keys keys;
                  for (const BlockInfo& block : design.topology().blocks) {
                    Keys activities;
                    for (const char* activity : kActivityNames) {
                      activities.push_back(
                          {activity, integer("cycles", fmt::format("cycles in which {} is {}", block.name, activity))});
                    }
                    keys.push_back({block.name, object(block.meaning, activities)});
                  }
                  return keys;
                }));
}

Json port(const PortInfo& port) {
  using Stats = memory::PortStats;
  const std::map<std::string_view, std::pair<const char*, const char*>> meanings{
      {"read_beats", {"beats", "beats read"}},
      {"write_beats", {"beats", "beats written"}},
      {"read_bursts", {"bursts", "bursts read"}},
      {"write_bursts", {"bursts", "bursts written"}},
      {"row_hits", {"requests", "requests of 64 bytes that find their row open"}},
      {"row_misses", {"requests", "requests of 64 bytes that find their bank closed"}},
      {"row_conflicts", {"requests", "requests of 64 bytes that find another row open"}},
      {"busy_cycles", {"cycles", "cycles in which the port moved a beat"}},
      {"wait_cycles", {"cycles", "cycles with a read or write outstanding and no beat moved"}}};
  Keys keys;
  for (const Stats::Field& field : Stats::fields()) {
    const auto& [unit, meaning] = meanings.at(field.name);
    keys.push_back({field.name, integer(unit, meaning)});
  }
  return object(fmt::format("of {}: {}", port.block, port.meaning), keys);
}

Json memory_ports() {
  return object("what the ports to memory moved", of_designs([](const Design& design) {
                  Keys keys;
                  for (const PortInfo& each : design.topology().ports) keys.push_back({each.name, port(each)});
                  return keys;
                }));
}

Json exact_account() {
  return object(
      "how the exact rung counted the cycles",
      {{"simulated_cycles", integer("cycles", "cycles simulated where they happened")},
       {"walked_cycles", integer("cycles", "cycles known from stretches that were simulated before")},
       {"stretches", integer("stretches", "stretches walked")},
       {"verified_stretches", integer("stretches", "stretches replayed cycle by cycle, all equal (--verify)")}});
}

Json kernel() {
  Keys keys = of_designs([](const Design& design) {
    Keys all = keys_of(design.result_fields().row_kernel);
    append(all, keys_of(design.result_fields().kernel));
    return all;
  });
  return object("parameters of the kernel that runs it", keys);
}

Json gamma() {
  return object(
      "the terms of the design's equations", of_designs([](const Design& design) {
        Keys keys;
        for (const BlockInfo& block : design.topology().blocks) {
          keys.push_back(
              {block.name, integer("cycles", fmt::format("cycles of {} by the equations", block.name)), false});
        }
        append(keys, keys_of(design.result_fields().equations));
        append(keys, keys_of(design.result_fields().summary));
        return keys;
      }));
}

// `more`: beside what is used.
Json resource(const std::string& name, const Keys& more) {
  Keys keys{{"used", integer(name + "s", fmt::format("{}s of the kernel", name))},
            {"available", integer(name + "s", fmt::format("{}s that the board leaves to kernels", name))},
            {"fits", flag("whether that is enough")}};
  append(keys, more);
  return object(fmt::format("{}s", name), keys);
}
Keys resources(const Keys& more) {
  Keys keys;
  for (const auto& [column, name] : run::kResources) keys.push_back({name, resource(name, more), false});
  return keys;
}

Json fit() {
  Keys keys = resources({{"largest", text("the convolution whose kernel takes most, as LAYER:KIND; `used` is its")}});
  append(keys,
         {{"convolutions_that_do_not_fit", integer("convolutions", "convolutions whose kernel does not fit the board")},
          {"do_not_fit", list("which, as LAYER:KIND", text("a convolution, as LAYER:KIND"))}});
  return object("the largest kernel against the board", keys);
}

Json convolution() {
  Keys keys{column("layer"),
            column("kind"),
            {"fully_connected", flag("whether it is a fully connected layer, lowered to a 1x1 convolution")},
            {"shape", object("of the layer", {column("batch"),
                                              column("channels"),
                                              column("filters"),
                                              column("groups"),
                                              {"h", axis("down", true)},
                                              {"w", axis("across", false)}})}};
  append(keys, figures());
  keys.push_back(column("limiter"));
  append(keys, of_designs([](const Design& design) { return keys_of(design.result_fields().summary); }));
  append(keys,
         {{"gamma", gamma()},
          simulated(column("analytical_cycles")),
          simulated(column("analytical_limiter")),
          {"blocks", blocks(), false},
          {"memory", memory_ports(), false},
          {"drain_cycles", integer("cycles", "behind the cycles, for reads whose words nobody needs"), false},
          {"launch_cycles",
           list("where there are several launches", integer("cycles", "kernel cycles of a launch, its drain included")),
           false},
          {"skipped_cycles", integer("cycles", "of the cycles, those that were not stepped one by one"), false},
          {"repeats", flag("whether it equals earlier convolutions and was not simulated again"), false},
          {"exact", exact_account(), false},
          {"kernel", kernel()},
          {"analytical_cycles_unshared",
           integer("cycles", "total of the equations with sizes of its own, where sizes are shared"), false},
          {"resources", object("what its kernel takes of the board", resources({}))},
          {"launches", integer("launches", "kernel launches, one a group")},
          {"pcie_bytes_to_card", integer("bytes", "bytes to the card")},
          {"pcie_bytes_to_host", integer("bytes", "bytes back")},
          {"data",
           object("what data mode found",
                  {{"out_digest", column("data_digest").schema},
                   {"largest_error", column("largest_error").schema},
                   {"overflows", integer("sums", "how often a sum left 32 bits, in fixed point (NUM-8)"), false}}),
           false}});
  return object("a convolution of the iteration", keys);
}

Json whole_column(const std::string& name) {
  for (const auto& each : run::whole_columns()) {
    if (each.name == name) return of_type(each.type, each.unit, each.meaning);
  }
  throw Error(fmt::format("there is no column '{}'", name));
}

}  // namespace

Json run() {
  const Json totals = object("of all convolutions of a kind", figures());
  Keys keys{{"schema", integer("version", "version of this form; it grows when a key changes its meaning or goes")},
            {"weft_version", text("the version of weft that wrote it")},
            {"run", text("name of the run")},
            {"network", text("name of the network")},
            {"board", text("name of the board")},
            column("batch"),
            {"rung", text("what counted the cycles: analytical, systemc or exact")},
            {"mode", text("timing, or data: real values moved and checked")},
            {"seed", integer("1", "of the values of data mode")},
            {"clock_mhz", text("kernel clock in MHz, exact: a whole number, a decimal or a fraction")}};
  append(keys, of_designs([](const Design& design) { return keys_of(design.result_fields().head); }));
  append(keys,
         {{"equations",
           object("the closed-form equations behind analytical figures",
                  {{"readings",
                    names("how each doubtful equation is read (docs/readings.md), by its key below `readings`",
                          text("the reading's value")),
                    false},
                   {"do_not_know", list("keys of the run that they do not depend on", text("a key of the run"))}})},
          {"totals", object("sums over the convolutions", {{"F", totals, false},
                                                           {"GI", totals, false},
                                                           {"GW", totals, false},
                                                           {"network", object("of all convolutions", figures())}})},
          {"conv_only_seconds_per_iteration", whole_column("seconds")},
          {"conv_only_seconds_per_epoch", whole_column("seconds_per_epoch")},
          {"iterations_per_epoch", integer("iterations", "images of the data set over the batch, rounded up")},
          {"iteration", text("what the whole training iteration takes, or why that is not known, in words"), false},
          {"remarks", list("what else the design says of the result", text("a line")), false},
          {"host", object("what the convolutions ask of the host, which is not in the times",
                          {{"launches", whole_column("launches")},
                           {"kernels", whole_column("kernels")},
                           {"reconfigurations", whole_column("reconfigurations")},
                           {"pcie_bytes_to_card", whole_column("pcie_to_card")},
                           {"pcie_bytes_to_host", whole_column("pcie_to_host")}})},
          {"fit", fit()},
          {"shared_sizes",
           object("what sizes that all convolutions share cost, by the equations",
                  {{"analytical_cycles", whole_column("analytical_cycles")},
                   {"analytical_cycles_unshared", integer("cycles", "total of the equations with sizes auto")},
                   {"convolutions_that_pay", integer("convolutions", "convolutions that take longer for it")}}),
           false},
          {"convolutions", list("each convolution", convolution())},
          {"operators", integer("operators", "operators of the network: its convolutions and those of the host")},
          {"host_layers",
           list("operators that stay on the host",
                object("an operator", {{"op", text("its ONNX operator")},
                                       {"name", text("its name in the network")},
                                       {"shape", list("of its output", integer("elements", "size of a dimension"))},
                                       {"elements", integer("elements", "elements of its output, of one image")}}))}});
  return object("a run (weft run, result.json)", keys);
}

Json convolutions_csv() {
  Keys keys;
  std::set<std::string> there;
  for (const Design* design : design::designs()) {
    for (const auto& column : run::row_columns(*design)) {
      if (column.csv.empty() || !there.insert(column.csv).second) continue;
      Json schema = column.flag ? flag("whether " + column.meaning) : of_type(column.type, column.unit, column.meaning);
      if (column.flag) schema["description"] = "yes or no: " + column.meaning;
      keys.push_back({column.csv, or_nothing(schema), false});
    }
  }
  return object("a line of convolutions.csv; empty cells are null", keys);
}

Json parameter(const std::string& meaning) {
  return {{"type", {"integer", "number", "string", "boolean", "array", "object"}},
          {"description", meaning},
          {"properties", Json::object()},
          {"additionalProperties", text("a part of it")}};
}

Json kernel_parameters(const std::string& meaning) {
  const Json of_runs = kernel();
  Keys keys;
  for (const auto& [name, schema] : of_runs.at("properties").items()) keys.push_back({name, schema, false});
  return names(meaning, parameter("a parameter"), keys);
}

}  // namespace weft::tools::schema
