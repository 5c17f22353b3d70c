#include "tools/run/load_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/load.h"
#include "platform/os/content.h"
#include "platform/os/shell.h"
#include "platform/record/result_dir.h"
#include "platform/run/accounting.h"
#include "platform/run/columns.h"
#include "tools/cli/cli.h"
#include "tools/results/result_kind.h"
#include "tools/results/saved_value.h"
#include "tools/run/report.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

// The run that config.yaml says. Its network's file may be gone: only its name is shown.
config::RunConfig read_run(const fs::path& file) {
  config::Node node = config::compose_run(file.string(), {}, project_library());
  const config::Node* const found = node.find("network");
  std::error_code code;
  const bool gone = found && found->kind == config::Node::Kind::Scalar &&
                    fs::path(found->text).extension() == ".onnx" && !fs::exists(found->text, code);
  if (!gone) return design::read_run(std::move(node));
  const config::OnnxNetwork network{found->text, found->place};
  node.set("network", config::scalar_node("gone"));
  config::RunConfig run = design::read_run(std::move(node));
  run.workload = network;
  return run;
}

// The rows of a design, as read_row() fills them.
struct Reading {
  const design::Design& design;
  const Topology& topology;
  bool simulated = false;
  bool exact = false;
  Cycles most_cycles = 0;  // of a row
  std::int64_t most = 0;   // of every other count of a row: those of all rows can be added up
};

nlohmann::json read_json(const fs::path& path) {
  nlohmann::json json = nlohmann::json::parse(os::content(path), nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw InputError(path.string(), 0, "", "is not a result of weft run");
  return json;
}

// How the result is made again.
std::string anew(const fs::path& folder) {
  return fmt::format("make it again: weft run {} --out {}", os::shell_word((folder / record::kResultConfig).string()),
                     os::shell_word(folder.string()));
}

// Refuses a result that has not all that is shown of it: of an earlier weft, or of a later one.
void require_whole(const nlohmann::json& json, const fs::path& path) {
  const auto schema = json.find("schema");
  const bool known = schema != json.end() && schema->is_number_integer() && *schema >= 1 && *schema <= kResultSchema;
  if (!known) {
    throw InputError(path.string(), 0, "schema",
                     fmt::format("must be {}, not {}; a later one needs a later weft", kResultSchema,
                                 schema == json.end() ? "missing" : schema->dump()));
  }
  if (*schema == kResultSchema && json.contains("operators")) return;
  throw InputError(
      path.string(), 0, "operators",
      fmt::format("is missing: an earlier weft saved less than is shown here; {}", anew(path.parent_path())));
}

// What each row of a result may take, so that all launches of all rows can be counted in picoseconds.
Cycles most_cycles(const config::RunConfig& run, std::int64_t launches) {
  constexpr std::int64_t kMostUs = (std::int64_t{1} << 61) / 1'000'000;
  const Frequency clock = run.kernel->clock;
  __extension__ using Wide = unsigned __int128;
  const Wide cycles = static_cast<Wide>(kMostUs) * static_cast<Wide>(clock.numerator()) /
                      static_cast<Wide>(clock.denominator()) / static_cast<Wide>(std::max<std::int64_t>(launches, 1));
  return static_cast<Cycles>(std::min<Wide>(cycles, static_cast<Wide>(1) << 61));
}

conv::LayerAxis read_axis(const SavedValue& json) {
  const auto size = [&](const char* key, std::int64_t least, std::int64_t most) {
    const std::int64_t value = json.at(key).count(most);
    if (value < least) throw json.at(key).error(fmt::format("must be at least {}, not {}", least, value));
    return static_cast<int>(value);
  };
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const conv::LayerAxis axis{size("size", 1, kMost),      size("kernel", 1, kMost),  size("stride", 1, kMost),
                             size("pad_begin", 0, kMost), size("pad_end", 0, kMost), size("dilation", 1, kMost)};
  const std::int64_t samples = std::int64_t{axis.size} + axis.pad_begin + axis.pad_end;
  const std::int64_t extent = std::int64_t{axis.dilation} * (axis.kernel - 1) + 1;
  if (samples > kMost || extent > samples) throw json.error("has a kernel or padding that no layer has");
  return axis;
}

conv::Layer read_layer(const SavedValue& json) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const SavedValue shape = json.at("shape");
  const auto size = [&](const char* key) { return static_cast<int>(shape.at(key).count(kMost)); };
  conv::Layer layer;
  layer.name = json.at("layer").as<std::string>();
  layer.batch = size("batch");
  layer.channels = size("channels");
  layer.filters = size("filters");
  layer.groups = size("groups");
  layer.h = read_axis(shape.at("h"));
  layer.w = read_axis(shape.at("w"));
  return layer;
}

conv::Kind read_kind(const SavedValue& json) {
  const std::optional<conv::Kind> kind = config::parse_kind(json.as<std::string>());
  if (!kind) throw json.error("must be F, GI or GW");
  return *kind;
}

ResourceReport read_resources(const SavedValue& json, std::int64_t most) {
  ResourceReport report;
  for (const auto& [column, name] : run::kResources) {
    if (!json.has(name)) continue;
    const SavedValue use = json.at(name);
    report.push_back({name, use.at("used").count(most), use.at("available").count(most)});
  }
  return report;
}

void read_equations(design::Equations& equations, const SavedValue& json, const Reading& reading) {
  equations.cycles = json.at(reading.simulated ? "analytical_cycles" : "cycles").count(reading.most_cycles);
  equations.limiter = json.at(reading.simulated ? "analytical_limiter" : "limiter").as<std::string>();
  equations.terms = json.at("gamma").values();
  for (const design::ResultField& field : reading.design.result_fields().summary) {
    equations.summary.emplace_back(field.name, json.at(field.name).value());
  }
  if (json.has("analytical_cycles_unshared")) {
    equations.unshared = json.at("analytical_cycles_unshared").count(reading.most_cycles);
  }
}

// Their cycles alone: what else is known of a launch was not saved.
void read_units(design::Row& row, const SavedValue& json) {
  const Cycles all = row.cycles + row.drain_cycles;
  row.units.clear();
  if (!json.has("launch_cycles")) {
    if (row.launches == 1) row.units.push_back({{}, all});
    return;
  }
  Cycles sum = 0;
  for (const SavedValue& each : json.at("launch_cycles").items()) {
    row.units.push_back({{}, each.count(all - sum)});
    sum += row.units.back().cycles;
  }
  if (sum != all) {
    throw json.at("launch_cycles").error(fmt::format("come to {}, but 'cycles' and 'drain_cycles' to {}", sum, all));
  }
}

void read_account(engine::ExactAccount& account, const SavedValue& json) {
  account.simulated = json.at("simulated_cycles").count();
  account.walked = json.at("walked_cycles").count();
  account.stretches = json.at("stretches").count();
  account.verified = json.at("verified_stretches").count();
}

void read_simulated(design::Row& row, const SavedValue& json, const Reading& reading) {
  row.drain_cycles = json.has("drain_cycles") ? json.at("drain_cycles").count(reading.most_cycles - row.cycles) : 0;
  row.skipped_cycles = json.at("skipped_cycles").count(reading.most);
  row.repeats = json.has("repeats") && json.at("repeats").as<bool>();
  read_units(row, json);
  for (std::size_t block = 0; block < row.blocks.size(); ++block) {
    const SavedValue counts = json.at("blocks").at(reading.topology.blocks[block].name);
    for (std::size_t i = 0; i < kActivityNames.size(); ++i) {
      row.blocks[block].cycles[i] = counts.at(kActivityNames[i]).count(reading.most);
    }
  }
  for (std::size_t port = 0; port < row.ports.size(); ++port) {
    const SavedValue counts = json.at("memory").at(reading.topology.ports[port].name);
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      row.ports[port].*field.count = counts.at(field.name).count(reading.most);
    }
  }
  if (reading.exact) read_account(row.account, json.at("exact"));
}

design::Row read_row(const SavedValue& json, const Reading& reading) {
  design::Row row;
  row.layer = read_layer(json);
  row.kind = read_kind(json.at("kind"));
  row.fully_connected = json.at("fully_connected").as<bool>();
  row.macs = json.at("macs").count(reading.most);
  row.kernel = json.at("kernel").values();
  row.resources = read_resources(json.at("resources"), reading.most);
  read_equations(row.equations, json, reading);
  row.pcie_to_card = json.at("pcie_bytes_to_card").count(reading.most);
  row.pcie_to_host = json.at("pcie_bytes_to_host").count(reading.most);
  row.launches = json.at("launches").count(reading.most);
  row.cycles = json.at("cycles").count(reading.most_cycles);
  row.limiter = json.at("limiter").as<std::string>();
  row.blocks.resize(reading.topology.blocks.size());
  row.ports.resize(reading.topology.ports.size());
  if (reading.simulated) read_simulated(row, json, reading);
  if (reading.simulated || json.has("pe_cycles")) {
    for (const PeClassInfo& each : reading.topology.pe_classes) {
      const SavedValue count = json.at("pe_cycles").at(each.name);
      row.pe_cycles.push_back(count.is_null() ? std::nullopt : std::optional(count.count(reading.most)));
    }
  }
  if (!json.has("data")) return row;
  row.data.emplace();
  row.data->digest = std::stoull(json.at("data").at("out_digest").as<std::string>(), nullptr, 16);
  row.data->largest_error = json.at("data").at("largest_error").as<double>();
  if (json.at("data").has("overflows")) row.data->overflows = json.at("data").at("overflows").as<std::int64_t>();
  return row;
}

workloads::Network read_network(const SavedValue& json, int batch) {
  workloads::Network network;
  network.name = json.at("network").as<std::string>();
  network.batch = batch;
  for (const SavedValue& each : json.at("host_layers").items()) {
    network.host_layers.push_back({each.at("op").as<std::string>(), each.at("name").as<std::string>(),
                                   each.at("shape").as<std::vector<std::int64_t>>(), each.at("elements").count()});
  }
  return network;
}

// The rows, each convolution once.
std::vector<design::Row> read_rows(const SavedValue& json, const config::RunConfig& run) {
  const std::vector<SavedValue> convolutions = json.items();
  if (convolutions.empty()) throw json.error("must not be empty");
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  const auto rows = static_cast<std::int64_t>(convolutions.size());
  std::int64_t launches = 0;
  for (const SavedValue& each : convolutions) launches += each.at("launches").count(kMost / rows);
  const design::Design& design = design::design_of(run);
  const Reading reading{design,
                        design.topology(),
                        run.rung != config::Rung::Analytical,
                        run.rung == config::Rung::Exact,
                        most_cycles(run, launches),
                        kMost / rows};
  std::vector<design::Row> all;
  std::set<std::tuple<std::string, conv::Kind, bool>> there;
  for (const SavedValue& each : convolutions) {
    const design::Row& row = all.emplace_back(read_row(each, reading));
    if (!there.emplace(row.layer.name, row.kind, row.fully_connected).second) throw each.error("is there twice");
    if (row.resources.size() != all.front().resources.size() || row.pe_cycles.size() != all.front().pe_cycles.size()) {
      throw each.error("has other resources or PE-cycles than the first");
    }
  }
  return all;
}

// The figures that follow from the rows and config.yaml are those that were saved, so that no others are ever shown.
void require_same_figures(const SavedRun& saved, const nlohmann::json& json, const fs::path& path) {
  const nlohmann::json now = nlohmann::json::parse(report(saved.result, saved.around).json);
  for (const auto& [key, value] : json.items()) {
    // Of the version, and words about the equations.
    if (key == "weft_version" || key == "equations") continue;
    if (now.contains(key) && now.at(key) == value) continue;
    throw InputError(path.string(), 0, key,
                     fmt::format("is not what its convolutions come to with '{}': one of the two files was changed, or "
                                 "another weft saved them; {}",
                                 (path.parent_path() / record::kResultConfig).string(), anew(path.parent_path())));
  }
}

}  // namespace

SavedRun load_result(const fs::path& folder) {
  if (!record::is_result(folder))
    throw Error(fmt::format("'{}' is not a directory of results of weft run", folder.string()));
  if (const ResultKind kind = saved_kind(folder); kind != ResultKind::Run) {
    const std::string runs = kind == ResultKind::Explain
                                 ? fmt::format("; the runs of its steps are files in it: weft run {}",
                                               (folder / "step-00-as_is.yaml").string())
                                 : "";
    throw Error(fmt::format("'{}' is a result of weft {}, not of weft run{}", folder.string(), to_string(kind), runs));
  }
  SavedRun saved;
  run::Result& result = saved.result;
  result.config = read_run(folder / record::kResultConfig);
  const fs::path path = folder / record::kResultJson;
  const nlohmann::json json = read_json(path);
  require_whole(json, path);
  try {
    const std::string file = path.string();
    const SavedValue all(file, "", json);
    result.network = read_network(all, result.config.batch);
    result.rows = read_rows(all.at("convolutions"), result.config);
    run::describe_memory(result);
    result.kernels = all.at("host").at("kernels").count();
    result.reconfigurations = all.at("host").at("reconfigurations").count();
    saved.around.operators = all.at("operators").count();
    if (all.has("iteration")) saved.around.iteration = all.at("iteration").as<std::string>();
    saved.around.remarks =
        all.has("remarks") ? all.at("remarks").as<std::vector<std::string>>() : std::vector<std::string>();
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {  // of the JSON, or of a digest
    throw InputError(path.string(), 0, "convolutions", fmt::format("is not as weft run writes it ({})", error.what()));
  }
  require_same_figures(saved, json, path);
  return saved;
}

}  // namespace weft::tools
