#include "tools/run/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/catalogue/designs.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/record/json.h"
#include "platform/record/result_dir.h"
#include "platform/run/columns.h"
#include "tools/cli/cli.h"
#include "tools/results/result_kind.h"

namespace weft::tools {

using conv::shape_text;
using report::chosen_table;
using report::csv_field;
using report::duration_text;
using report::left_out_line;
using report::trimmed;

using run::Figures;
using run::Record;
using run::RowRecord;
using run::Sums;

namespace {

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

void check(TableView view, const std::vector<std::string>& known, bool simulated) {
  // Than those of the usual table.
  for (const report::TableColumn& column : usual_columns(simulated)) {
    view.columns.erase(std::remove(view.columns.begin(), view.columns.end(), column.title), view.columns.end());
  }
  tools::check(view, known);
}

class Formatter {
 public:
  Formatter(const Record& record, const TableView& view) : r_(record), view_(view), sums_(record.sums()) {}

  Report report() const { return {table(), record::json_text(r_), run::csv_text(r_)}; }

 private:
  std::string head() const {
    std::string text = fmt::format("{}: {} on {}, {}, batch {}, {} rung", r_.run, r_.network, r_.board, r_.kernel,
                                   r_.batch, config::to_string(r_.rung));
    if (r_.mode == config::Mode::Data) text += fmt::format(", data mode, seed {}", r_.seed);
    return text + "\n\n";
  }

  std::string table() const {
    const report::FittedTable usual = usual_table();
    const std::string rows = view_.columns.empty() ? usual.text(view_.width) + left_out_line(usual, view_.width, kHow)
                                                   : chosen_table(run::csv_text(r_), view_, &usual);
    return head() + rows + pe_table() + foot();
  }

  report::FittedTable usual_table() const {
    report::FittedTable table(usual_columns(r_.simulated()));
    const auto line = [&](const std::string& layer, const std::string& kind, const std::string& what, const Figures& f,
                          const std::string& limiter) {
      std::vector<std::string> cells{layer,
                                     kind,
                                     what,
                                     thousands(f.cycles),
                                     duration_text(f.seconds),
                                     fmt::format("{:.2f}", f.gops),
                                     fmt::format("{:.1f}%", 100 * f.utilisation),
                                     limiter};
      if (r_.simulated()) {
        cells.push_back(fmt::format("{:.1f}%", 100 * f.stall_share.value_or(0)));
        cells.push_back(fmt::format("{:.1f}%", 100 * f.ddr_efficiency.value_or(0)));
        cells.push_back(fmt::format("{:+.2f}%", 100 * f.equation_error.value_or(0)));
      }
      table.add(std::move(cells));
    };
    if (!view_.summary) {
      for (const RowRecord& row : r_.rows) {
        line(row.layer.name, conv::to_string(row.kind) + std::string(row.fits() ? "" : " !"), shape_text(row.layer),
             row.figures, row.limiter);
      }
      table.add_gap();
    }
    for (const Sums& sum : sums_) {
      line(sum.name, sum.kind, fmt::format("{} convs", sum.convolutions), *sum.figures, "");
    }
    return table;
  }

  // Where the PE-cycles of each kind and of the network went, as shares; "-" where the rung does not know.
  std::string pe_table() const {
    if (!r_.whole.pe_cycles) return "";
    constexpr std::size_t kWidth = 8;
    std::size_t width = 9;
    for (const auto& each : *r_.whole.pe_cycles) width = std::max(width, each.first.size());
    std::string text = fmt::format("\n{:<{}}", "PE-cycles", width);
    for (const Sums& sum : sums_) text += fmt::format("  {:>{}}", sum.name, kWidth);
    text += '\n';
    for (const auto& each : *r_.whole.pe_cycles) {
      text += fmt::format("{:<{}}", each.first, width);
      for (const Sums& sum : sums_) {
        const auto all = static_cast<double>(sum.figures->cycles) * static_cast<double>(r_.peak_macs);
        const std::optional<std::int64_t> count = sum.figures->pe_cycles_of(each.first);
        const std::string share = count ? fmt::format("{:.1f}%", 100 * static_cast<double>(*count) / all) : "-";
        text += fmt::format("  {:>{}}", share, kWidth);
      }
      text += '\n';
    }
    return text;
  }

  std::int64_t repeats() const {
    return std::count_if(r_.rows.begin(), r_.rows.end(),
                         [](const RowRecord& row) { return row.repeats.value_or(false); });
  }

  std::string exact_text() const {
    engine::ExactAccount all;
    for (const RowRecord& row : r_.rows) {
      const engine::ExactAccount of = row.exact.value_or(engine::ExactAccount());
      checked::add(all.simulated, of.simulated, "the cycles that were simulated");
      checked::add(all.walked, of.walked, "the cycles that were walked");
      checked::add(all.stretches, of.stretches, "the stretches");
      checked::add(all.verified, of.verified, "the stretches that were verified");
    }
    const std::int64_t same = repeats();
    std::string text = fmt::format("exact        {} cycles simulated", thousands(all.simulated));
    if (all.stretches > 0)
      text += fmt::format(", {} walked in {} stretches", thousands(all.walked), thousands(all.stretches));
    if (same > 0) text += fmt::format("; {} convolutions equal another", same);
    if (all.verified > 0) text += fmt::format("; {} stretches replayed, all equal", thousands(all.verified));
    return text + "\n";
  }

  std::string foot() const {
    std::string text = fmt::format(
        "\ntime         {} per iteration of {} images, {} per epoch of {} images (convolutions only)\n",
        duration_text(r_.seconds), r_.batch, duration_text(r_.seconds_per_epoch), thousands(r_.dataset_images));
    text += fmt::format(
        "host         {} launches, {} kernels, {} reconfigurations, PCIe {} MB to the card and {} MB back "
        "per iteration (not in the time)\n",
        thousands(r_.launches), r_.kernels, r_.reconfigurations, thousands(r_.pcie_to_card / 1'000'000),
        thousands(r_.pcie_to_host / 1'000'000));
    if (r_.rung == config::Rung::Exact && r_.mode == config::Mode::Timing) text += exact_text();
    if (r_.rung == config::Rung::SystemC && repeats() > 0) {
      text += fmt::format("systemc      {} convolutions equal another, simulated once\n", repeats());
    }
    if (r_.equations) text += "equations    " + *r_.equations + "\n";
    text += "fit          " + fit_text() + "\n";
    text += shared_text();
    if (!r_.host_layers.empty()) {
      text += fmt::format("host layers  {} of {} operators stay on the host\n", r_.host_layers.size(), r_.operators);
    }
    if (r_.mode == config::Mode::Data) text += data_text();
    if (r_.iteration) text += "iteration    " + *r_.iteration + "\n";
    if (r_.remarks) {
      for (const std::string& remark : *r_.remarks) text += remark + "\n";
    }
    return text;
  }

  // The overflows: of fixed point alone.
  std::string data_text() const {
    double largest = 0;
    std::optional<std::int64_t> overflows;
    for (const RowRecord& row : r_.rows) {
      if (!row.data) continue;
      largest = std::max(largest, row.data->largest_error);
      if (row.data->overflows)
        checked::add(overflows ? *overflows : overflows.emplace(0), *row.data->overflows, "the overflows");
    }
    std::string text = fmt::format("data         largest error against {} {:.3g} of the sum of |products|\n",
                                   overflows ? "exact sums" : "double precision", largest);
    if (!overflows) return text;
    return text + fmt::format("overflows    {} sums left 32 bits{}\n", thousands(*overflows),
                              *overflows == 0 ? ": OUT is exact" : "");
  }

  // The first of `texts`, and how many more there are.
  static std::string first_of(const std::vector<std::string>& texts) {
    constexpr std::size_t kMost = 8;
    std::string list;
    for (std::size_t i = 0; i < std::min(texts.size(), kMost); ++i) list += (i == 0 ? "" : ", ") + texts[i];
    if (texts.size() > kMost) list += fmt::format(" and {} more", texts.size() - kMost);
    return list;
  }

  std::string fit_text() const {
    std::string text;
    for (const auto& [name, largest] : r_.fit) {
      const run::Use& use = largest.use;
      text +=
          fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", name, thousands(use.used), thousands(use.available));
      if (!use.fits) text += fmt::format(" (EXCEEDED by {})", largest.by);
    }
    if (r_.do_not_fit.empty()) return text + "; every kernel fits";
    return text + fmt::format("; the kernels of {} of {} convolutions (marked !) do not fit the board by {}: {}",
                              r_.do_not_fit.size(), r_.rows.size(), r_.resource_source, first_of(r_.do_not_fit));
  }

  // What sizes that all convolutions share cost those that need less.
  std::string shared_text() const {
    if (!r_.shared_sizes) return "";
    const auto times = [](Cycles shared, Cycles unshared) {
      return fmt::format("{:.2f}", static_cast<double>(shared) / static_cast<double>(unshared));
    };
    std::vector<const RowRecord*> payers;  // largest loss first
    for (const RowRecord& row : r_.rows) {
      if (row.unshared && row.equations() > *row.unshared) payers.push_back(&row);
    }
    const auto loss = [](const RowRecord* row) { return row->equations() - *row->unshared; };
    std::stable_sort(payers.begin(), payers.end(),
                     [&](const RowRecord* a, const RowRecord* b) { return loss(a) > loss(b); });
    std::vector<std::string> names;
    for (const RowRecord* row : payers) {
      names.push_back(fmt::format("{} x{}", row->name(), times(row->equations(), *row->unshared)));
    }
    const std::string text = fmt::format("shared       by the equations {} times the cycles of sizes auto; ",
                                         times(r_.shared_sizes->shared, r_.shared_sizes->unshared));
    if (names.empty()) return text + "no convolution pays\n";
    return text + fmt::format("{} of {} convolutions pay: {}\n", names.size(), r_.rows.size(), first_of(names));
  }

  const Record& r_;
  const TableView& view_;
  std::vector<Sums> sums_;  // of each kind, and of the network
};

}  // namespace

void check(const TableView& view, const config::RunConfig& run) {
  std::vector<std::string> known;
  const bool simulated = run.rung != config::Rung::Analytical;
  for (const auto& column : run::csv_columns(design::design_of(run), simulated)) known.push_back(column.csv);
  check(view, known, simulated);
}

Report report(const Record& record, const TableView& view) {
  check(view, report::columns_of(run::csv_text(record)), record.simulated());
  return Formatter(record, view).report();
}

Record load_run(const std::filesystem::path& folder) {
  if (!record::is_result(folder))
    throw Error(fmt::format("'{}' is not a directory of results of weft run", folder.string()));
  if (const ResultKind kind = saved_kind(folder); kind != ResultKind::Run) {
    const std::string runs = kind == ResultKind::Explain
                                 ? fmt::format("; the runs of its steps are files in it: weft run {}",
                                               (folder / "step-00-as_is.yaml").string())
                                 : "";
    throw Error(fmt::format("'{}' is a result of weft {}, not of weft run{}", folder.string(), to_string(kind), runs));
  }
  return run::read_record(folder / record::kResultJson);
}

config::Node saved_config(const std::filesystem::path& folder) {
  return config::parse_file(folder / record::kResultConfig);
}

}  // namespace weft::tools
