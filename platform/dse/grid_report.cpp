#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/core/checked.h"
#include "platform/config/reader.h"
#include "platform/config/selection.h"
#include "platform/design/equations.h"
#include "platform/design/value_json.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/dse/grid.h"
#include "platform/dse/range_field.h"
#include "platform/dse/saved_report.h"

namespace weft::dse::grid {

namespace {

using report::duration_text;
using report::thousands;
using GridJson = nlohmann::ordered_json;

constexpr std::size_t kShown = 10;  // kernels for all convolutions, in the table

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return text;
}

class GridFormatter {
 public:
  GridFormatter(const Space& space, const GridResult& result, const report::TableView& view)
      : space_(space), r_(result), c_(result.config), view_(view) {}

  std::string table() const {
    const std::string rows =
        view_.columns.empty() ? convolutions_table() : report::chosen_table(csv_head(c_) + csv(), view_);
    return head() + rows + optimal_line() + ranked_table();
  }
  GridJson json() const;
  std::string csv() const;

 private:
  double seconds(Cycles cycles) const { return weft::seconds(cycles, c_.run.kernel->clock); }
  double gops(std::int64_t macs, Cycles cycles) const { return 2e-9 * static_cast<double>(macs) / seconds(cycles); }
  std::int64_t macs() const {
    std::int64_t all = 0;
    for (const Convolution& each : r_.convolutions) {
      checked::add(all, each.macs, "the multiply-accumulates of all convolutions");
    }
    return all;
  }
  double hours_per_epoch() const {
    return seconds(r_.optimal_cycles()) / 3600 * static_cast<double>(c_.run.iterations_per_epoch());
  }

  std::string head() const;
  std::string convolutions_table() const;
  std::string optimal_line() const;
  std::string ranked_table() const;
  GridJson found_json(const Found& found) const;

  const Space& space_;
  const GridResult& r_;
  const GridConfig& c_;
  const report::TableView& view_;
};

std::string GridFormatter::head() const {
  std::string tried;
  for (const Tried& each : c_.tried) {
    tried += fmt::format("{}{} {}", tried.empty() ? "" : ", ", each.axis.key, range_text(each.range));
  }
  return fmt::format(
      "{}: {} on {}, batch {}, {} MHz; budget DSP {}, BRAM18 {}, URAM {}\nspace: {}: {} combinations, {} are kernels "
      "that compute the network, {} fit\nequations: {}\n\n",
      c_.name, r_.network, c_.run.board.name, c_.run.batch, config::exact_text(c_.run.kernel->clock),
      thousands(c_.budget.dsp), thousands(c_.budget.bram18), thousands(c_.budget.uram), tried,
      thousands(r_.combinations), thousands(r_.possible), thousands(r_.fitting),
      report::equations_text(space_.design->equations_note(c_.run)));
}

std::string GridFormatter::convolutions_table() const {
  std::vector<report::TableColumn> columns{{"layer"}, {"kind", false, 4}};
  for (const Tried& each : c_.tried) columns.push_back({each.axis.key, true});
  for (const char* title : {"cycles", "GOPS"}) columns.push_back({title, true, 8, 4});
  columns.push_back({"limiter", false, 7, 3});
  const Counts& resources = r_.ranked.front().resources;
  for (const auto& each : resources) columns.push_back({upper(each.first), true, 4, 5});
  report::FittedTable table(columns);
  for (const Convolution& c : r_.convolutions) {
    std::vector<std::string> cells{c.layer, conv::to_string(c.kind)};
    if (c.best) {
      for (const int value : c.best->values) cells.push_back(std::to_string(value));
      cells.push_back(thousands(c.best->cycles));
      cells.push_back(fmt::format("{:.1f}", gops(c.macs, c.best->cycles)));
      cells.push_back(c.best->limiter);
      for (const auto& each : c.best->resources) cells.push_back(thousands(each.second));
    }
    cells.resize(columns.size());
    table.add(std::move(cells));
    if (!c.best) table.add_note("no kernel fits");
  }
  return table.text(view_.width) +
         report::left_out_line(table, view_.width, "--columns chooses any that --format csv has");
}

std::string GridFormatter::optimal_line() const {
  return fmt::format(
      "\noptimal      {} convolutions, each on its own kernel: {} cycles, {} an iteration, {:.2f} hours an epoch of {} "
      "images{}\n",
      r_.convolutions.size(), thousands(r_.optimal_cycles()), duration_text(seconds(r_.optimal_cycles())),
      hours_per_epoch(), thousands(c_.run.dataset_images),
      r_.misfits() == 0 ? "" : fmt::format("; {} without a kernel that fits are left out", r_.misfits()));
}

std::string GridFormatter::ranked_table() const {
  std::vector<report::TableColumn> columns{{"rank"}};
  for (const Tried& each : c_.tried) columns.push_back({each.axis.key, true});
  for (const char* title : {"cycles", "time", "GOPS"}) columns.push_back({title, true, 8});
  for (const auto& each : r_.ranked.front().resources) columns.push_back({upper(each.first), true, 4, 3});
  if (c_.rerank > 0) columns.push_back({"simulated", true, 9});
  report::FittedTable table(columns);
  const std::size_t shown = std::min(kShown, r_.ranked.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Found& found = r_.ranked[i];
    std::vector<std::string> cells{std::to_string(i + 1)};
    for (const int value : found.values) cells.push_back(std::to_string(value));
    cells.push_back(thousands(found.cycles));
    cells.push_back(duration_text(seconds(found.cycles)));
    cells.push_back(fmt::format("{:.1f}", gops(macs(), found.cycles)));
    for (const auto& each : found.resources) cells.push_back(thousands(each.second));
    if (c_.rerank > 0) cells.push_back(found.simulated ? thousands(*found.simulated) : "");
    table.add(std::move(cells));
  }
  return fmt::format("\none kernel for all convolutions: the best {} of {}{}\n", shown, thousands(r_.fitting),
                     c_.rerank > 0 ? "; simulated ones first" : ", by the equations") +
         table.text(view_.width) + report::left_out_line(table, view_.width, "--format json has them");
}

GridJson GridFormatter::found_json(const Found& found) const {
  GridJson json{{"kernel", GridJson::object()}, {"resources", GridJson::object()}, {"cycles", found.cycles}};
  for (const auto& [name, value] : found.kernel) json["kernel"][name] = json_of<GridJson>(value);
  for (const auto& [name, count] : found.resources) json["resources"][name] = count;
  if (!found.limiter.empty()) json["limiter"] = found.limiter;
  if (found.simulated) json["simulated_cycles"] = *found.simulated;
  return json;
}

GridJson GridFormatter::json() const {
  GridJson json{{"schema", kGridSchema},
                {"weft_version", WEFT_VERSION},
                {"exploration", c_.name},
                {"network", r_.network},
                {"board", c_.run.board.name},
                {"batch", c_.run.batch},
                {"clock_mhz", config::exact_text(c_.run.kernel->clock)},
                {"budget", {{"dsp", c_.budget.dsp}, {"bram18", c_.budget.bram18}, {"uram", c_.budget.uram}}},
                {"space", GridJson::object()},
                {"combinations", r_.combinations},
                {"possible", r_.possible},
                {"fitting", r_.fitting}};
  for (const Tried& each : c_.tried) {
    json["space"][each.axis.key] = {{"from", each.range.from}, {"to", each.range.to}, {"step", each.range.step}};
  }
  json.update(report::equations_json(space_.design->equations_note(c_.run)));
  json["optimal"] = {{"cycles", r_.optimal_cycles()},
                     {"conv_only_seconds_per_iteration", seconds(r_.optimal_cycles())},
                     {"conv_only_hours_per_epoch", hours_per_epoch()},
                     {"convolutions", r_.convolutions.size()},
                     {"shapes", r_.convolutions.size()},
                     {"misfits", r_.misfits()}};
  json["sharing"] = GridJson::array();
  json["network_kernels"] = GridJson::array();
  for (const Found& found : r_.ranked) json["network_kernels"].push_back(found_json(found));
  json["convolutions"] = GridJson::array();
  for (const Convolution& each : r_.convolutions) {
    GridJson one{{"layer", each.layer}, {"kind", conv::to_string(each.kind)}, {"launches", each.launches},
                 {"macs", each.macs},   {"arrays", r_.combinations},          {"fitting", each.fitting}};
    if (each.best) one["optimal"] = found_json(*each.best);
    json["convolutions"].push_back(std::move(one));
  }
  return json;
}

std::string GridFormatter::csv() const {
  std::string text;
  for (const Convolution& each : r_.convolutions) {
    text += fmt::format("{},{},{},{},{},{},{},{},{}", report::csv_field(c_.name), report::csv_field(r_.network),
                        report::csv_field(each.layer), conv::to_string(each.kind), c_.run.batch, each.launches,
                        each.macs, r_.combinations, each.fitting);
    if (each.best) {
      for (const int value : each.best->values) text += fmt::format(",{}", value);
      std::int64_t used[3]{};
      for (const auto& [name, count] : each.best->resources) {
        if (name == "dsp") used[0] = count;
        if (name == "bram18") used[1] = count;
        if (name == "uram") used[2] = count;
      }
      text += fmt::format(",{},{},{},{},{},{},{}\n", used[0], used[1], used[2], each.best->cycles,
                          seconds(each.best->cycles), gops(each.macs, each.best->cycles), each.best->limiter);
    } else {
      text += std::string(c_.tried.size() + 7, ',') + "\n";
    }
  }
  return text;
}

Found found_in(const GridJson& json, const std::vector<Tried>& tried) {
  Found found;
  found.values = values_in(json.at("kernel"), tried);
  for (const auto& each : json.at("kernel").items()) {
    found.kernel.emplace_back(each.key(), value_of(each.value()));
  }
  for (const auto& each : json.at("resources").items()) {
    found.resources.emplace_back(each.key(), each.value().get<std::int64_t>());
  }
  found.cycles = json.at("cycles").get<Cycles>();
  if (json.contains("limiter")) found.limiter = json.at("limiter").get<std::string>();
  if (json.contains("simulated_cycles")) found.simulated = json.at("simulated_cycles").get<Cycles>();
  return found;
}

Convolution convolution_in(const GridJson& json, const std::vector<Tried>& tried) {
  Convolution c;
  c.layer = json.at("layer").get<std::string>();
  const auto kind = config::parse_kind(json.at("kind").get<std::string>());
  if (!kind) throw Error(fmt::format("has a convolution of kind {}", json.at("kind").dump()));
  c.kind = *kind;
  c.launches = json.at("launches").get<std::int64_t>();
  c.macs = json.at("macs").get<std::int64_t>();
  c.fitting = json.at("fitting").get<std::int64_t>();
  if (json.contains("optimal")) c.best = found_in(json.at("optimal"), tried);
  return c;
}

}  // namespace

Values values_in(const nlohmann::ordered_json& kernel, const std::vector<Tried>& tried) {
  Values values;
  for (const Tried& each : tried) values.push_back(kernel.at(each.axis.key).get<int>());
  return values;
}

std::string csv_head(const GridConfig& config) {
  std::string head = "exploration,network,layer,kind,batch,launches,macs,combinations,fitting";
  for (const Tried& each : config.tried) head += fmt::format(",{}", each.axis.key);
  return head + ",dsp,bram18,uram,cycles,time_s,gops,limiter\n";
}

report::Report report(const Space& space, const std::vector<GridResult>& results, const report::TableView& view) {
  report::Report report;
  GridJson list = GridJson::array();
  for (const GridResult& result : results) {
    const GridFormatter formatter(space, result, view);
    if (report.csv.empty()) report.csv = csv_head(result.config);
    if (!report.table.empty()) report.table += "\n";
    report.table += formatter.table();
    list.push_back(formatter.json());
    report.csv += formatter.csv();
  }
  report.json = (results.size() == 1 ? list.front() : list).dump(2) + "\n";
  return report;
}

GridResult read_result(const GridConfig& config, const std::string& json, const std::string& file) {
  return read_report<GridJson>(json, file, kGridSchema, [&](const GridJson& report) {
    GridResult result;
    result.config = config;
    result.network = report.at("network").get<std::string>();
    result.combinations = report.at("combinations").get<std::int64_t>();
    result.possible = report.at("possible").get<std::int64_t>();
    result.fitting = report.at("fitting").get<std::int64_t>();
    for (const GridJson& each : report.at("network_kernels")) {
      result.ranked.push_back(found_in(each, config.tried));
    }
    if (result.ranked.empty()) throw Error("has no kernel for the network");
    for (const GridJson& each : report.at("convolutions")) {
      result.convolutions.push_back(convolution_in(each, config.tried));
    }
    return result;
  });
}

}  // namespace weft::dse::grid
