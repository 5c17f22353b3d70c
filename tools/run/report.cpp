#include "tools/run/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/catalogue/designs.h"
#include "platform/config/reader.h"
#include "platform/design/equations.h"
#include "platform/design/value_json.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/run/columns.h"
#include "tools/cli/cli.h"

namespace weft::tools {

using conv::shape_text;
using report::chosen_table;
using report::csv_field;
using report::duration_text;
using report::equations_json;
using report::equations_text;
using report::left_out_line;
using report::trimmed;

using conv::Kind;
using run::Figures;
using run::Result;
using run::Row;
using run::Sum;
using Json = nlohmann::ordered_json;

namespace {

std::vector<run::Column<run::RowOf>> columns_of_csv(const design::Design& design, bool simulated) {
  std::vector<run::Column<run::RowOf>> columns = run::row_columns(design);
  const auto absent = [&](const run::Column<run::RowOf>& column) {
    return column.csv.empty() || (!simulated && column.simulated);
  };
  columns.erase(std::remove_if(columns.begin(), columns.end(), absent), columns.end());
  return columns;
}

constexpr const char* kHow = "--columns chooses any of the table and of --format csv";

// What a narrow terminal can do without: the shape first, which does not change from run to run.
std::vector<report::TableColumn> usual_columns(bool simulated) {
  std::vector<report::TableColumn> columns{{"layer"},
                                           {"kind", false, 4},
                                           {"shape", false, 5, 6},
                                           {"cycles", true, 16},
                                           {"time", true, 9, 2},
                                           {"GOPS", true, 6, 5},
                                           {"util", true, 6},
                                           {"limiter", false, 15}};
  if (simulated) columns.insert(columns.end(), {{"stall", true, 6, 1}, {"DDR", true, 6, 3}, {"eq.err", true, 7, 4}});
  return columns;
}

class Formatter {
 public:
  Formatter(const Result& result, const Around& around, const TableView& view)
      : result_(result),
        around_(around),
        view_(view),
        design_(design::design_of(result.config)),
        simulated_(run::simulated(result)) {}

  Report report() {
    Report report;
    report.table = table();
    report.json = json().dump(2) + "\n";
    report.csv = csv();
    return report;
  }

 private:
  Figures figures(const Sum& sum) const { return run::figures(result_, sum); }
  std::map<Kind, Sum> by_kind() const { return run::sums_by_kind(result_); }
  Sum whole() const { return run::sum_of(result_); }
  Sum one(const Row& row) const { return run::sum_of(result_, row); }
  std::int64_t iterations() const { return run::iterations_per_epoch(result_); }

  std::string head() const {
    const config::RunConfig& c = result_.config;
    std::string text = fmt::format("{}: {} on {}, {}, batch {}, {} rung", c.name, result_.network.name, c.board.name,
                                   c.kernel->headline(), c.batch, config::to_string(c.rung));
    if (c.mode == config::Mode::Data) text += fmt::format(", data mode, seed {}", c.seed);
    return text + "\n\n";
  }

  std::string table() const {
    const report::FittedTable usual = usual_table();
    const std::string rows = view_.columns.empty() ? usual.text(view_.width) + left_out_line(usual, view_.width, kHow)
                                                   : chosen_table(csv(), view_, &usual);
    return head() + rows + pe_table() + foot(whole());
  }

  report::FittedTable usual_table() const {
    report::FittedTable table(usual_columns(simulated_));
    const auto percent = [](double value) { return fmt::format("{:+.2f}%", 100 * value); };
    const auto line = [&](const std::string& layer, const std::string& kind, const std::string& what, const Sum& sum,
                          const std::string& limiter, const std::string& error) {
      const Figures f = figures(sum);
      std::vector<std::string> cells{layer,
                                     kind,
                                     what,
                                     thousands(sum.cycles),
                                     duration_text(f.seconds),
                                     fmt::format("{:.2f}", f.gops),
                                     fmt::format("{:.1f}%", 100 * f.utilisation),
                                     limiter};
      if (simulated_) {
        cells.push_back(fmt::format("{:.1f}%", 100 * f.stall_share));
        cells.push_back(fmt::format("{:.1f}%", 100 * f.ddr_efficiency));
        cells.push_back(error);
      }
      table.add(std::move(cells));
    };
    if (!view_.summary) {
      for (const Row& row : result_.rows) {
        line(row.layer.name, conv::to_string(row.kind) + std::string(fits(row.resources) ? "" : " !"),
             shape_text(row.layer), one(row), row.limiter, percent(row.analytical_error()));
      }
      table.add_gap();
    }
    for (const auto& [kind, sum] : by_kind()) {
      line(fmt::format("all {}", conv::to_string(kind)), conv::to_string(kind),
           fmt::format("{} convs", sum.convolutions), sum, "", percent(figures(sum).equation_error));
    }
    const Sum sum = whole();
    line("network", "", fmt::format("{} convs", sum.convolutions), sum, "", percent(figures(sum).equation_error));
    return table;
  }

  // Where the PE-cycles of each kind and of the network went, as shares; "-" where the rung does not know.
  std::string pe_table() const {
    const std::vector<PeClassInfo>& classes = design_.topology().pe_classes;
    std::vector<std::pair<std::string, Sum>> sums;
    for (const auto& [kind, sum] : by_kind()) sums.emplace_back(fmt::format("all {}", conv::to_string(kind)), sum);
    sums.emplace_back("network", whole());
    if (classes.empty() || sums.back().second.pe_cycles.empty()) return "";
    constexpr std::size_t kWidth = 8;
    std::size_t width = 9;
    for (const PeClassInfo& each : classes) width = std::max(width, std::string_view(each.name).size());
    std::string text = fmt::format("\n{:<{}}", "PE-cycles", width);
    for (const auto& [name, sum] : sums) text += fmt::format("  {:>{}}", name, kWidth);
    text += '\n';
    for (std::size_t i = 0; i < classes.size(); ++i) {
      text += fmt::format("{:<{}}", classes[i].name, width);
      for (const auto& [name, sum] : sums) {
        const auto all = static_cast<double>(sum.cycles) * static_cast<double>(result_.config.kernel->peak_macs());
        const std::optional<std::int64_t>& count = sum.pe_cycles[i];
        const std::string share = count ? fmt::format("{:.1f}%", 100 * static_cast<double>(*count) / all) : "-";
        text += fmt::format("  {:>{}}", share, kWidth);
      }
      text += '\n';
    }
    return text;
  }

  std::int64_t repeats() const {
    return std::count_if(result_.rows.begin(), result_.rows.end(), [](const Row& row) { return row.repeats; });
  }

  std::string exact_text() const {
    engine::ExactAccount all;
    for (const Row& row : result_.rows) all += row.account;
    const std::int64_t same = repeats();
    std::string text = fmt::format("exact        {} cycles simulated", thousands(all.simulated));
    if (all.stretches > 0)
      text += fmt::format(", {} walked in {} stretches", thousands(all.walked), thousands(all.stretches));
    if (same > 0) text += fmt::format("; {} convolutions equal another", same);
    if (all.verified > 0) text += fmt::format("; {} stretches replayed, all equal", thousands(all.verified));
    return text + "\n";
  }

  std::string foot(const Sum& sum) const {
    const double seconds = figures(sum).seconds;
    const config::RunConfig& c = result_.config;
    std::string text =
        fmt::format("\ntime         {} per iteration of {} images, {} per epoch of {} images (convolutions only)\n",
                    duration_text(seconds), c.batch, duration_text(seconds * static_cast<double>(iterations())),
                    thousands(c.dataset_images));
    text += fmt::format(
        "host         {} launches, {} kernels, {} reconfigurations, PCIe {} MB to the card and {} MB back "
        "per iteration (not in the time)\n",
        thousands(sum.launches), result_.kernels, result_.reconfigurations, thousands(sum.pcie_to_card / 1'000'000),
        thousands(sum.pcie_to_host / 1'000'000));
    if (c.rung == config::Rung::Exact && c.mode == config::Mode::Timing) text += exact_text();
    if (c.rung == config::Rung::SystemC && repeats() > 0) {
      text += fmt::format("systemc      {} convolutions equal another, simulated once\n", repeats());
    }
    // Where the equations are the result, or the kernel is not the one that the thesis wrote them for.
    const design::EquationsNote note = design_.equations_note(c);
    if (!simulated_ || note.needed) text += "equations    " + equations_text(note) + "\n";
    text += "fit          " + fit_text() + "\n";
    text += shared_text();
    if (!result_.network.host_layers.empty()) {
      text += fmt::format("host layers  {} of {} operators stay on the host\n", result_.network.host_layers.size(),
                          around_.operators);
    }
    if (c.mode == config::Mode::Data) {
      double largest = 0;
      for (const Row& row : result_.rows) largest = std::max(largest, row.data ? row.data->largest_error : 0.0);
      const std::string overflows = overflows_text();
      text += fmt::format("data         largest error against {} {:.3g} of the sum of |products|\n{}",
                          overflows.empty() ? "double precision" : "exact sums", largest, overflows);
    }
    if (!around_.iteration.empty()) text += "iteration    " + around_.iteration + "\n";
    for (const std::string& remark : around_.remarks) text += remark + "\n";
    return text;
  }

  // Of fixed point alone.
  std::string overflows_text() const {
    std::optional<std::int64_t> overflows;
    for (const Row& row : result_.rows) {
      if (row.data && row.data->overflows) overflows = overflows.value_or(0) + *row.data->overflows;
    }
    if (!overflows) return "";
    return fmt::format("overflows    {} sums left 32 bits{}\n", thousands(*overflows),
                       *overflows == 0 ? ": OUT is exact" : "");
  }

  ResourceReport largest_use() const { return run::largest_use(result_); }
  static std::string name_of(const Row& row) { return fmt::format("{}:{}", row.layer.name, conv::to_string(row.kind)); }

  // The first of `rows`, as `text` puts each, and how many more there are.
  template <class Text>
  static std::string first_of(const std::vector<const Row*>& rows, Text text) {
    constexpr std::size_t kMost = 8;
    std::string list;
    for (std::size_t i = 0; i < std::min(rows.size(), kMost); ++i) list += (i == 0 ? "" : ", ") + text(*rows[i]);
    if (rows.size() > kMost) list += fmt::format(" and {} more", rows.size() - kMost);
    return list;
  }

  std::string fit_text() const {
    std::string text;
    const ResourceReport largest = largest_use();
    for (std::size_t i = 0; i < largest.size(); ++i) {
      const ResourceUse& use = largest[i];
      text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", use.name, thousands(use.used),
                          thousands(use.available));
      if (!use.fits()) text += fmt::format(" (EXCEEDED by {})", name_of(run::largest_user(result_, i)));
    }
    const std::vector<const Row*> misfits = run::rows_that_do_not_fit(result_);
    if (!misfits.empty()) {
      text += fmt::format("; the kernels of {} of {} convolutions (marked !) do not fit the board by {}: {}",
                          misfits.size(), result_.rows.size(), design_.resource_source(result_.config),
                          first_of(misfits, name_of));
    } else {
      text += "; every kernel fits";
    }
    return text;
  }

  // What sizes that all convolutions share cost those that need less.
  std::string shared_text() const {
    const std::optional<run::SharedCost> cost = run::shared_cost(result_);
    if (!cost) return "";
    const auto times = [](Cycles shared, Cycles unshared) {
      return fmt::format("{:.2f}", static_cast<double>(shared) / static_cast<double>(unshared));
    };
    std::string text = fmt::format("shared       by the equations {} times the cycles of sizes auto",
                                   times(cost->shared, cost->unshared));
    if (cost->payers.empty()) {
      text += "; no convolution pays";
    } else {
      text += fmt::format("; {} of {} convolutions pay: {}", cost->payers.size(), result_.rows.size(),
                          first_of(cost->payers, [&](const Row& row) {
                            return fmt::format("{} x{}", name_of(row),
                                               times(row.equations.cycles, *row.equations.unshared));
                          }));
    }
    return text + "\n";
  }

  Json figures_json(const Sum& sum) const {
    const Figures f = figures(sum);
    Json json{{"cycles", sum.cycles},
              {"macs", sum.macs},
              {"time_s", f.seconds},
              {"gops", f.gops},
              {"array_utilisation", f.utilisation}};
    for (std::size_t i = 0; i < sum.pe_cycles.size(); ++i) {
      const std::optional<std::int64_t>& count = sum.pe_cycles[i];
      json["pe_cycles"][design_.topology().pe_classes[i].name] = count ? Json(*count) : Json();
    }
    if (simulated_) {
      json["stall_share"] = f.stall_share;
      json["ddr_efficiency"] = f.ddr_efficiency;
      json["analytical_error"] = f.equation_error;
    }
    return json;
  }

  static void append(Json& json, const design::NamedValues& values) {
    for (const auto& [name, value] : values) json[name] = json_of<Json>(value);
  }
  static Json values_json(const design::NamedValues& values) {
    Json json = Json::object();
    append(json, values);
    return json;
  }

  static Json axis_json(const conv::LayerAxis& axis) {
    return {
        {"size", axis.size},       {"kernel", axis.kernel},     {"stride", axis.stride}, {"pad_begin", axis.pad_begin},
        {"pad_end", axis.pad_end}, {"dilation", axis.dilation}, {"out", axis.out()}};
  }

  static Json port_json(const memory::PortStats& port) {
    Json json = Json::object();
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) json[field.name] = port.*field.count;
    return json;
  }

  static Json resources_json(const ResourceReport& report) {
    Json json = Json::object();
    for (const ResourceUse& use : report) {
      json[use.name] = {{"used", use.used}, {"available", use.available}, {"fits", use.fits()}};
    }
    return json;
  }

  Json row_json(const Row& row) const {
    const conv::Layer& layer = row.layer;
    Json json{{"layer", layer.name},
              {"kind", conv::to_string(row.kind)},
              {"fully_connected", row.fully_connected},
              {"shape",
               {{"batch", layer.batch},
                {"channels", layer.channels},
                {"filters", layer.filters},
                {"groups", layer.groups},
                {"h", axis_json(layer.h)},
                {"w", axis_json(layer.w)}}}};
    json.update(figures_json(one(row)));
    json["limiter"] = row.limiter;
    append(json, row.equations.summary);
    json["gamma"] = values_json(row.equations.terms);
    if (simulated_) {
      json["analytical_cycles"] = row.equations.cycles;
      json["analytical_limiter"] = row.equations.limiter;
      const Topology& topology = design_.topology();
      for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
        for (std::size_t i = 0; i < kActivityNames.size(); ++i) {
          json["blocks"][topology.blocks[block].name][kActivityNames[i]] = row.blocks[block].cycles[i];
        }
      }
      for (std::size_t port = 0; port < topology.ports.size(); ++port) {
        json["memory"][topology.ports[port].name] = port_json(row.ports[port]);
      }
      if (row.drain_cycles > 0) json["drain_cycles"] = row.drain_cycles;
      if (row.units.size() > 1) {
        for (const design::LaunchedUnit& unit : row.units) json["launch_cycles"].push_back(unit.cycles);
      }
      json["skipped_cycles"] = row.skipped_cycles;
      if (row.repeats) json["repeats"] = true;
      if (result_.config.rung == config::Rung::Exact) {
        // Not what had to be learnt: which unit was the first to meet it depends on the workers.
        json["exact"] = {{"simulated_cycles", row.account.simulated},
                         {"walked_cycles", row.account.walked},
                         {"stretches", row.account.stretches},
                         {"verified_stretches", row.account.verified}};
      }
    }
    json["kernel"] = values_json(row.kernel);
    if (row.equations.unshared) json["analytical_cycles_unshared"] = *row.equations.unshared;
    json["resources"] = resources_json(row.resources);
    json["launches"] = row.launches;
    json["pcie_bytes_to_card"] = row.pcie_to_card;
    json["pcie_bytes_to_host"] = row.pcie_to_host;
    if (row.data) {
      json["data"] = {{"out_digest", fmt::format("{:016x}", row.data->digest)},
                      {"largest_error", row.data->largest_error}};
      if (row.data->overflows) json["data"]["overflows"] = *row.data->overflows;
    }
    return json;
  }

  Json json() const {
    const config::RunConfig& c = result_.config;
    const Sum sum = whole();
    const double seconds = figures(sum).seconds;
    Json json{{"schema", kResultSchema},
              {"weft_version", WEFT_VERSION},
              {"run", c.name},
              {"network", result_.network.name},
              {"board", c.board.name},
              {"batch", c.batch},
              {"rung", config::to_string(c.rung)},
              {"mode", config::to_string(c.mode)},
              {"seed", c.seed},
              {"clock_mhz", config::exact_text(c.kernel->clock)}};
    append(json, c.kernel->summary());
    json["equations"] = equations_json(design_.equations_note(c));
    for (const auto& [kind, kind_sum] : by_kind()) json["totals"][conv::to_string(kind)] = figures_json(kind_sum);
    json["totals"]["network"] = figures_json(sum);
    json["conv_only_seconds_per_iteration"] = seconds;
    json["conv_only_seconds_per_epoch"] = seconds * static_cast<double>(iterations());
    json["iterations_per_epoch"] = iterations();
    if (!around_.iteration.empty()) json["iteration"] = around_.iteration;
    if (!around_.remarks.empty()) json["remarks"] = around_.remarks;
    json["host"] = {{"launches", sum.launches},
                    {"kernels", result_.kernels},
                    {"reconfigurations", result_.reconfigurations},
                    {"pcie_bytes_to_card", sum.pcie_to_card},
                    {"pcie_bytes_to_host", sum.pcie_to_host}};
    json["fit"] = resources_json(largest_use());
    for (std::size_t i = 0; i < result_.rows.front().resources.size(); ++i) {
      json["fit"][result_.rows.front().resources[i].name]["largest"] = name_of(run::largest_user(result_, i));
    }
    const std::vector<const Row*> misfits = run::rows_that_do_not_fit(result_);
    json["fit"]["convolutions_that_do_not_fit"] = misfits.size();
    json["fit"]["do_not_fit"] = Json::array();
    for (const Row* row : misfits) json["fit"]["do_not_fit"].push_back(name_of(*row));
    if (const std::optional<run::SharedCost> cost = run::shared_cost(result_)) {
      json["shared_sizes"] = {{"analytical_cycles", cost->shared},
                              {"analytical_cycles_unshared", cost->unshared},
                              {"convolutions_that_pay", cost->payers.size()}};
    }
    json["convolutions"] = Json::array();
    for (const Row& row : result_.rows) json["convolutions"].push_back(row_json(row));
    json["operators"] = around_.operators;
    json["host_layers"] = Json::array();
    for (const workloads::HostLayer& layer : result_.network.host_layers) {
      json["host_layers"].push_back(
          {{"op", layer.op}, {"name", layer.name}, {"shape", layer.shape}, {"elements", layer.elements}});
    }
    return json;
  }

  std::vector<run::Column<run::RowOf>> csv_columns() const {
    std::vector<run::Column<run::RowOf>> columns = columns_of_csv(design_, simulated_);
    // Resources that nobody knows, LUT and FF by the equations, have no column.
    const run::RowOf first = run::row_of(result_, result_.rows.front());
    const auto unknown = [&](const run::Column<run::RowOf>& column) {
      return (column.name == "lut" || column.name == "ff") && column.value(first) == Value();
    };
    columns.erase(std::remove_if(columns.begin(), columns.end(), unknown), columns.end());
    return columns;
  }

  static std::string csv_text(const run::Column<run::RowOf>& column, const Value& value) {
    return column.flag ? (value == Value(std::int64_t{1}) ? "yes" : "no") : to_text(value);
  }

  std::string csv() const {
    const std::vector<run::Column<run::RowOf>> columns = csv_columns();
    std::string text;
    for (const auto& column : columns) text += (text.empty() ? "" : ",") + column.csv;
    text += '\n';
    for (const Row& row : result_.rows) {
      const run::RowOf of = run::row_of(result_, row);
      std::string line;
      for (const auto& column : columns) {
        line += (line.empty() ? "" : ",") + csv_field(csv_text(column, column.value(of)));
      }
      text += line + '\n';
    }
    return text;
  }

  const Result& result_;
  const Around& around_;
  const TableView& view_;
  const design::Design& design_;
  bool simulated_;
};

}  // namespace

void check(const TableView& view, const config::RunConfig& run) {
  std::vector<std::string> known;
  const bool simulated = run.rung != config::Rung::Analytical;
  for (const auto& column : columns_of_csv(design::design_of(run), simulated)) known.push_back(column.csv);
  TableView others = view;  // than those of the usual table
  for (const report::TableColumn& column : usual_columns(simulated)) {
    others.columns.erase(std::remove(others.columns.begin(), others.columns.end(), column.title), others.columns.end());
  }
  check(others, known);
}

Around around(const Result& result, std::string iteration) {
  const std::size_t operators = result.network.host_layers.size() + result.network.layers.size();
  return {std::move(iteration), static_cast<std::int64_t>(operators),
          design::design_of(result.config).remarks(result.config, result.rows)};
}

Report report(const Result& result, const Around& around, const TableView& view) {
  check(view, result.config);
  return Formatter(result, around, view).report();
}

}  // namespace weft::tools
