#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/core/text.h"
#include "platform/record/json.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using report::Cell;
using report::Page;
using report::Section;
using report::Table;
using validate::PairResult;
using validate::ValidateResult;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kWorst = 15;

Cell error_cell(double error) {
  return change_cell(error, 3);
}

const char* kind_name(std::size_t kind) {
  return conv::to_string(static_cast<conv::Kind>(kind));
}

Section kinds_section(const ValidateResult& r) {
  Table table{
      "Errors by kind",
      {{"kind", ""}, {"convolutions", ""}, {"mean", ""}, {"sd", "standard deviation"}, {"max", ""}, {"min", ""}},
      {},
      false,
      false};
  if (r.published()) {
    for (const char* figure : {"mean", "sd", "max", "min"}) {
      table.columns.push_back({fmt::format("published {}", figure), ""});
    }
  }
  for (std::size_t kind = 0; kind < r.statistics.size(); ++kind) {
    const auto& of = r.statistics.at(kind);
    if (!of) continue;
    const validate::Statistics& s = of->errors;
    // A standard deviation has no sign.
    std::vector<Cell> cells{text_cell(kind_name(kind)), count_cell(s.count), error_cell(s.mean),
                            percent_cell(s.sd, 3),      error_cell(s.max),   error_cell(s.min)};
    if (const auto& p = of->published) {
      cells.insert(cells.end(), {change_cell(p->mean / 100, 2), percent_cell(p->sd / 100, 2),
                                 change_cell(p->max / 100, 2), change_cell(p->min / 100, 2)});
    }
    cells.resize(table.columns.size(), text_cell(""));
    table.rows.push_back(std::move(cells));
  }
  std::string what = fmt::format("The error is ({0} - {1}) / {1}, of the cycles of a convolution: a dot each.",
                                 to_string(r.model), to_string(r.against));
  if (r.published()) what += " The bars below are mean and standard deviation: of these dots, and as published.";
  return {"kinds", "Errors by kind", {what}, true, {table}};
}

Table rows_table(const ValidateResult& r, const std::vector<std::size_t>& order, const std::string& caption,
                 bool search) {
  Table table{caption,
              {{"layer", ""},
               {"kind", ""},
               {"kernel", ""},
               {to_string(r.model), "cycles"},
               {to_string(r.against), "cycles"},
               {"error", ""},
               {"why", ""}},
              {},
              search,
              false};
  for (const std::size_t i : order) {
    const PairResult& row = r.convolutions[i];
    table.rows.push_back({text_cell(row.layer), text_cell(to_string(row.kind)), text_cell(row.kernel),
                          count_cell(row.model.cycles), count_cell(row.against.cycles), error_cell(row.error),
                          text_cell(row.reason)});
  }
  return table;
}

// Of a validation that is held to limits, as that of a run is.
Section limits_section(const ValidateResult& r) {
  const validate::LimitsVerdict& verdict = *r.limits;
  const auto& [total, one] = verdict.limits;
  Table totals{"Sums of cycles",
               {{"convolutions", ""},
                {to_string(r.model), "cycles"},
                {to_string(r.against), "cycles"},
                {"error", ""},
                {"allowed", "either way"},
                {"holds", ""}},
               {},
               false,
               false};
  for (const auto& [what, sum] : verdict.totals()) {
    totals.rows.push_back({text_cell(what), count_cell(sum.model), count_cell(sum.against), error_cell(sum.error),
                           percent_cell(total / 100), text_cell(sum.holds ? "yes" : "no")});
  }
  Section section{"limits", "Limits", {}, false, {totals}};
  section.text.push_back(fmt::format("The sums may err by {}%, each convolution by {}%, either way: {}.", total, one,
                                     verdict.holds ? "all of them hold" : "not all of them hold"));
  if (!verdict.beyond.empty()) {
    Table table{fmt::format("Convolutions beyond {}%", one),
                {{"layer", ""}, {"kind", ""}, {"kernel", ""}, {"error", ""}},
                {},
                true,
                false};
    for (const validate::BeyondLimit& each : verdict.beyond) {
      table.rows.push_back(
          {text_cell(each.layer), text_cell(to_string(each.kind)), text_cell(each.kernel), error_cell(each.error)});
    }
    section.tables.push_back(std::move(table));
  }
  return section;
}

Section baseline_section(const validate::BaselineVerdict& baseline) {
  Section section{"baseline", "Baseline", {}, false, {}};
  if (baseline.deviations.empty()) {
    section.text.emplace_back("Every error is where the baseline has it.");
    return section;
  }
  Table table{"What differs from the baseline",
              {{"layer", ""}, {"kind", ""}, {"kernel", ""}, {"old", ""}, {"new", ""}, {"allowed", ""}},
              {},
              false,
              false};
  const auto error = [](const std::optional<double>& of) { return of ? error_cell(*of) : text_cell(""); };
  for (const validate::Deviation& one : baseline.deviations) {
    table.rows.push_back({text_cell(one.layer),
                          text_cell(to_string(one.kind)),
                          text_cell(one.kernel),
                          error(one.old_error),
                          error(one.new_error),
                          {fmt::format("{} %", one.tolerance_percent), one.tolerance_percent}});
  }
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace

Page validate_page(const ValidateResult& r) {
  const std::vector<PairResult>& rows = r.convolutions;
  const std::vector<std::size_t> order = r.worst_first();
  std::vector<std::size_t> worst = order, all = order;
  worst.resize(std::min(worst.size(), kWorst));
  std::sort(all.begin(), all.end());
  double square = 0;
  for (const PairResult& row : rows) square += std::pow(row.error, 2);
  Page page;
  page.kind = page.command = "validate";
  page.title = r.name;
  page.lead = fmt::format("{} against {}: {} convolutions on {} kernels.", to_string(r.model), to_string(r.against),
                          thousands(static_cast<std::int64_t>(rows.size())), r.kernels().size());
  page.weft_version = WEFT_VERSION;
  for (std::size_t kind = 0; kind < r.statistics.size(); ++kind) {
    if (!r.statistics.at(kind)) continue;
    const validate::Statistics& s = r.statistics.at(kind)->errors;
    page.figures.push_back({fmt::format("Mean error, {}", kind_name(kind)), change_text(s.mean, 2),
                            fmt::format("{} convolutions, sd {}", s.count, percent_text(s.sd, 2))});
  }
  if (!rows.empty()) {
    const PairResult& first = rows[worst.front()];
    page.figures.push_back(
        {"Root mean square", percent_text(std::sqrt(square / static_cast<double>(rows.size())), 2), "of all errors"});
    page.figures.push_back(
        {"Worst", change_text(first.error, 2), fmt::format("{} {}", first.layer, to_string(first.kind))});
  }
  page.sections = {kinds_section(r)};
  page.sections.push_back({"causes",
                           "Where the difference lies",
                           {"What the block that differs most does with the cycles that the other rung does not count: "
                            "means over the convolutions of a kind, as shares of their cycles."},
                           true,
                           {}});
  page.sections.push_back(
      {"worst", "Where the model is most wrong", {}, false, {rows_table(r, worst, "The worst rows", false)}});
  if (r.limits) {
    const std::size_t beyond = r.limits->beyond.size();
    page.figures.push_back({"Limits", r.limits->holds ? "hold" : "exceeded",
                            beyond == 0 ? "by no convolution" : fmt::format("by {} convolutions", beyond)});
    page.sections.push_back(limits_section(r));
  }
  if (r.baseline) page.sections.push_back(baseline_section(*r.baseline));
  page.sections.push_back({"rows", "All convolutions", {}, false, {rows_table(r, all, "All convolutions", true)}});
  const Json json = record::to_json(r);
  page.data = {{"statistics", json.at("statistics")}, {"rungs", json.at("rungs")}, {"rows", Json::array()}};
  for (const Json& row : json.at("convolutions")) {
    page.data["rows"].push_back({{"layer", row.at("layer")},
                                 {"kind", row.at("kind")},
                                 {"kernel", row.at("kernel")},
                                 {"error", row.at("error")},
                                 {"model", row.at("model").at("cycles")},
                                 {"against", row.at("against").at("cycles")},
                                 {"cause", row.at("cause")},
                                 {"reason", row.at("reason")}});
  }
  return page;
}

Page link_page(const validate::LinkResult& result) {
  Page page;
  page.kind = "link";
  page.command = "validate";
  page.title = result.name;
  page.lead = fmt::format("The model of the link of {} with the calls of {}, beside what it is held to.", result.board,
                          result.host);
  page.weft_version = WEFT_VERSION;
  double worst = 0;
  std::int64_t out = 0;
  Table table{"All figures",
              {{"what", ""},
               {"held to", ""},
               {"direction", ""},
               {"bytes", ""},
               {"model", ""},
               {"reference", ""},
               {"unit", ""},
               {"error", ""},
               {"allowed", ""},
               {"holds", ""}},
              {},
              true,
              false};
  for (const validate::LinkRow& row : result.rows) {
    worst = std::max(worst, std::fabs(row.error_percent) / 100);
    out += row.holds ? 0 : 1;
    table.rows.push_back({text_cell(row.what), text_cell(row.held_to), text_cell(row.direction), count_cell(row.bytes),
                          real_cell(row.model), real_cell(row.reference), text_cell(row.unit),
                          error_cell(row.error_percent / 100), percent_cell(row.tolerance_percent / 100),
                          text_cell(row.holds ? "yes" : "no")});
    page.data["rows"].push_back(record::to_json(row));
  }
  const auto rows = static_cast<std::int64_t>(result.rows.size());
  page.figures = {
      {"Figures", thousands(rows), ""},
      {"Within tolerance", fmt::format("{}", rows - out), out == 0 ? "all of them" : fmt::format("{} leave it", out)},
      {"Largest error", percent_text(worst, 2), ""}};
  page.sections = {{"errors",
                    "Errors, and what is allowed",
                    {"The error of each figure as a dot; the bar is what is allowed of it."},
                    true,
                    {}},
                   {"rows", "All figures", {}, false, {table}}};
  return page;
}

}  // namespace weft::tools
