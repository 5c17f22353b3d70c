#include "tools/validate/link_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "platform/document/fitted_table.h"
#include "platform/record/csv.h"
#include "platform/record/json.h"

namespace weft::tools {

namespace {

using validate::LinkResult;
using validate::LinkRow;

std::string head(const LinkResult& r) {
  std::string text = r.name + (r.title ? ": " + *r.title : "");
  text += fmt::format(": Gen{} x{}", r.pcie_generation, r.pcie_lanes);
  for (const validate::LinkRate& rate : r.rates) {
    text += fmt::format(", {:.2f} GB/s {}, bound by {}", rate.bytes_per_s / 1e9, rate.direction, rate.bound);
  }
  return text + fmt::format("; calls of {}\n\n", r.host);
}

std::string figures(const LinkResult& result, const std::string& csv, const TableView& view) {
  if (!view.columns.empty()) return report::chosen_table(csv, view);
  report::FittedTable table({{"held to", false, 12},
                             {"what"},
                             {"", false, 4},
                             {"bytes", true},
                             {"model", true},
                             {"reference", true, 0, 1},
                             {"unit"},
                             {"error", true, 9},
                             {"allowed", true, 8, 2},
                             {"", false}});
  for (const LinkRow& row : result.rows) {
    table.add({row.held_to, row.what, row.direction, std::to_string(row.bytes), fmt::format("{:.4f}", row.model),
               fmt::format("{:.4f}", row.reference), row.unit, fmt::format("{:+.3f}%", row.error_percent),
               fmt::format("{}%", row.tolerance_percent), row.holds ? "" : "EXCEEDED"});
  }
  return table.text(view.width) +
         report::left_out_line(table, view.width, "--columns chooses any that --format csv has");
}

}  // namespace

Report report(const LinkResult& result, const TableView& view) {
  Report report{"", record::json_text(result), record::csv_text(result.rows)};
  report.table = head(result) + figures(result, report.csv, view);
  const auto out = std::count_if(result.rows.begin(), result.rows.end(), [](const LinkRow& row) { return !row.holds; });
  report.table +=
      fmt::format("\n{}\n", out == 0 ? "every figure is within its tolerance"
                                     : fmt::format("{} of {} figures leave their tolerance", out, result.rows.size()));
  if (result.measured_source) report.table += fmt::format("measured     {}\n", *result.measured_source);
  if (result.beside_source) {
    report.table += fmt::format("beside       {}; nothing is fitted to it\n", *result.beside_source);
  }
  return report;
}

std::vector<std::string> link_columns() {
  return report::columns_of(record::csv_head(LinkRow()));
}

}  // namespace weft::tools
