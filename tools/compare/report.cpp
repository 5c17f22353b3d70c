#include "tools/compare/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/text.h"
#include "platform/document/text.h"
#include "platform/record/json.h"

namespace weft::tools {

using report::left_out_line;
using run::ComparedRow;
using run::ComparedSide;
using run::ComparedSums;
using run::Comparison;

namespace {

std::string totals_table(const Comparison& c, const TableView& view) {
  report::FittedTable table({{"", false, 9},
                             {"cycles A", true, 18},
                             {"cycles B", true, 18},
                             {"change", true, 9},
                             {"time A", true, 11, 2},
                             {"time B", true, 11, 2},
                             {"util A, B", true, 15, 1},
                             {"stall A, B", true, 15, 3},
                             {"DDR A, B", true, 15, 4}});
  const auto both = [](double x, double y) { return fmt::format("{:.1f}%, {:.1f}%", 100 * x, 100 * y); };
  for (const auto& [name, sums] : c.totals()) {
    const run::Figures &a = sums->a.figures, &b = sums->b.figures;
    table.add({name, thousands(a.cycles), thousands(b.cycles), signed_percent(sums->cycles_change),
               fmt::format("{:.4g} s", a.seconds), fmt::format("{:.4g} s", b.seconds),
               both(a.utilisation, b.utilisation), both(a.stall_share.value_or(0), b.stall_share.value_or(0)),
               both(a.ddr_efficiency.value_or(0), b.ddr_efficiency.value_or(0))});
  }
  std::string text = table.text(view.width) + left_out_line(table, view.width, "--format json has them");
  if (!c.same_clock) text += "The clocks differ: compare the times.\n";
  return text + "\n";
}

// Where the PE-cycles went, as shares of each result's own; last, how many more B has.
std::string pe_table(const Comparison& c, const TableView& view) {
  if (c.pe_classes.empty()) return "";
  std::vector<report::TableColumn> columns{{"PE-cycles"}};
  for (const auto& [name, sums] : c.totals()) {
    const int spare = name == "network" ? 0 : static_cast<int>(columns.size());
    columns.push_back({name + " A, B", true, 15, spare});
  }
  columns.push_back({"network B - A", true, 21});
  report::FittedTable table(std::move(columns));
  for (const std::string& pe_class : c.pe_classes) {
    const auto share = [&](const ComparedSide& side, std::int64_t peak_macs) {
      const std::optional<std::int64_t> count = side.figures.pe_cycles_of(pe_class);
      if (!count || side.figures.cycles == 0) return std::string("-");
      const double all = static_cast<double>(side.figures.cycles) * static_cast<double>(peak_macs);
      return fmt::format("{:.1f}%", 100 * static_cast<double>(*count) / all);
    };
    std::vector<std::string> cells{pe_class};
    for (const auto& [name, sums] : c.totals()) {
      cells.push_back(share(sums->a, c.peak_macs_a) + ", " + share(sums->b, c.peak_macs_b));
    }
    const auto a = c.whole.a.figures.pe_cycles_of(pe_class), b = c.whole.b.figures.pe_cycles_of(pe_class);
    cells.push_back(a && b ? thousands(*b - *a) : "-");
    table.add(std::move(cells));
  }
  return table.text(view.width) + left_out_line(table, view.width, "--format json has them") + "\n";
}

std::string pairs_table(const Comparison& c, std::size_t most, const TableView& view) {
  const auto moved = static_cast<std::size_t>(
      std::count_if(c.pairs.begin(), c.pairs.end(), [](const ComparedRow& pair) { return pair.moved() != 0; }));
  std::string text = fmt::format("{} of {} convolutions moved, {} with another limiter{}\n", moved, c.pairs.size(),
                                 c.changed_limiters(), moved > most ? "; those that moved most:" : "");
  if (!view.columns.empty()) return text + report::chosen_table(run::csv_text(c), view);
  const std::size_t count = std::min(moved, most);
  if (count == 0) return text;
  report::FittedTable table({{"layer"},
                             {"kind", false, 4},
                             {"cycles A", true, 16, 2},
                             {"cycles B", true, 16, 1},
                             {"B - A", true, 16},
                             {"change", true, 9},
                             {"limiter"}});
  for (std::size_t i = 0; i < count; ++i) {
    const ComparedRow& pair = c.pairs[i];
    const std::string &a = *pair.limiter_a, &b = *pair.limiter_b;
    table.add({pair.layer, conv::to_string(pair.kind), thousands(*pair.cycles_a), thousands(*pair.cycles_b),
               thousands(pair.moved()), signed_percent(*pair.cycles_change),
               a == b ? a : fmt::format("{} -> {}", a, b)});
  }
  return text + table.text(view.width) +
         left_out_line(table, view.width, "--columns chooses any that --format csv has");
}

std::string without_partner(const char* side, const std::vector<std::string>& names, std::size_t most) {
  if (names.empty()) return "";
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
  return fmt::format("only in {}    {} convolutions: {}\n", side, names.size(), list);
}

// Both sides and a key that is shortened fit the page.
std::string shown(const std::string& value, std::size_t width) {
  constexpr std::size_t kMost = 40, kLeast = 12, kKey = 16;
  const std::size_t most = std::min(kMost, std::max(kLeast, (width - std::min(width, kKey)) / 2));
  if (value.empty()) return "-";
  return value.size() <= most ? value : value.substr(0, most - 3) + "...";
}

}  // namespace

std::string signed_percent(double change) {
  return fmt::format("{:+.2f}%", 100 * change);
}

std::string keys_table(const std::vector<config::Difference>& keys, const TableView& view) {
  if (keys.empty()) return "keys         none differs\n\n";
  report::FittedTable table({{"key"}, {"A"}, {"B"}});
  for (const config::Difference& each : keys) {
    table.add({each.key, shown(each.a, view.width), shown(each.b, view.width)});
  }
  return table.text(view.width) + "\n";
}

Report compare_report(const Comparison& c, std::size_t most, const TableView& view) {
  Report report{"", record::json_text(c), run::csv_text(c)};
  check(view, report::columns_of(report.csv));
  report.table = fmt::format("A  {}\nB  {}\n\n", c.a, c.b) + keys_table(c.keys, view) + totals_table(c, view) +
                 pe_table(c, view) + pairs_table(c, most, view) + without_partner("A", c.only(true), most) +
                 without_partner("B", c.only(false), most);
  return report;
}

}  // namespace weft::tools
