#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/core/text.h"
#include "platform/record/csv.h"
#include "tools/cli/views.h"

namespace weft::tools {

namespace {

using namespace report;
using validate::LinkResult;
using validate::LinkRow;

Table rows_table(const LinkResult& result) {
  Table table{"All figures",
              {{"held to", "", 12},
               {"what"},
               {"way", "H2C to the card, C2H to the host"},
               {"bytes"},
               {"model"},
               {"reference", "", 0, 1},
               {"unit"},
               {"error", "", 9},
               {"allowed", "either way", 8, 2},
               {"holds"}}};
  table.search = table.chosen = true;
  for (const LinkRow& row : result.rows) {
    table.rows.push_back({row.held_to,
                          row.what,
                          row.direction,
                          {std::to_string(row.bytes), static_cast<double>(row.bytes)},
                          fixed_cell(row.model, 4),
                          fixed_cell(row.reference, 4),
                          row.unit,
                          change_cell(row.error, 3),
                          {fmt::format("{}%", row.tolerance_percent), row.tolerance_percent / 100},
                          row.holds ? "yes" : "EXCEEDED"});
  }
  return table;
}

}  // namespace

Document view_of(const LinkResult& result) {
  Document d{"validate", result.name};
  if (result.title) d.lead = *result.title + ": ";
  d.lead += fmt::format("{}, Gen{} x{}", result.board, result.pcie_generation, result.pcie_lanes);
  for (const validate::LinkRate& rate : result.rates) {
    d.lead += fmt::format(", {:.2f} GB/s {}, bound by {}", rate.bytes_per_s / 1e9, rate.direction, rate.bound);
  }
  d.lead += fmt::format("; calls of {}", result.host);
  d.weft_version = result.weft_version;
  double worst = 0;
  for (const LinkRow& row : result.rows) worst = std::max(worst, std::fabs(row.error));
  const auto out = std::count_if(result.rows.begin(), result.rows.end(), [](const LinkRow& row) { return !row.holds; });
  const auto rows = static_cast<std::int64_t>(result.rows.size());
  d.figures = {{"Figures", thousands(rows), ""},
               {"Within tolerance", fmt::format("{}", rows - out), ""},
               {"Largest error", share_cell(worst, 2).text, ""}};
  Facts sources;
  if (result.measured_source) sources.add("measured", *result.measured_source);
  if (result.beside_source) sources.add("beside", *result.beside_source + "; nothing is fitted to it");
  Points errors{Points::Kind::Dots, "errors", "Error and tolerance of every figure"};
  errors.title = {"figure"};
  errors.tip = {"error", "allowed", "model", "reference", "unit", "held to"};
  errors.x = "error";
  errors.y = "figure";
  errors.color = "held to";
  errors.label = "(model - reference) / reference";
  const auto name_of = [](const LinkRow& row) {
    return fmt::format("{}, {}, {} bytes", row.what, row.direction, thousands(row.bytes));
  };
  for (const LinkRow& row : result.rows) {
    const double allowed = row.tolerance_percent / 100;
    errors.intervals.push_back({name_of(row), "", -allowed, 0, allowed});
  }
  const auto add = [&](const char* name, Form form, auto value) {
    d.frame.push_back(series_of(name, "", form, result.rows, value));
  };
  add("figure", Form::Plain, name_of);
  add("error", Form::Change, [](const LinkRow& row) { return row.error; });
  add("allowed", Form::Share, [](const LinkRow& row) { return row.tolerance_percent / 100; });
  add("model", Form::Plain, [](const LinkRow& row) { return row.model; });
  add("reference", Form::Plain, [](const LinkRow& row) { return row.reference; });
  add("unit", Form::Plain, [](const LinkRow& row) { return row.unit; });
  add("held to", Form::Plain, [](const LinkRow& row) { return row.held_to; });
  d.sections = {{"errors",
                 "Errors and tolerances",
                 {Text{"Each dot is the error of a figure; the bar is its tolerance.", On::Page}, errors}},
                {"rows", "All figures", {rows_table(result)}},
                {"verdict",
                 "In all",
                 {Text{out == 0 ? "every figure is within its tolerance"
                                : fmt::format("{} of {} figures exceed their tolerance", out, rows)},
                  sources}}};
  return d;
}

std::string csv_of(const LinkResult& result) {
  return record::csv_text(result.rows);
}

std::vector<std::string> link_columns() {
  return report::columns_of(record::csv_head(LinkRow()));
}

}  // namespace weft::tools
