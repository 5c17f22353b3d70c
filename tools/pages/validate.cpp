#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>

#include "platform/document/text.h"
#include "platform/record/json.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"
#include "tools/results/json_at.h"

namespace weft::tools {

using report::Cell;
using report::Page;
using report::Section;
using report::Table;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kWorst = 15;

Cell error_cell(const Json& error) {
  return change_cell(error.get<double>(), 3);
}

// A standard deviation has no sign.
bool is_spread(std::string_view figure) {
  return figure == "sd";
}

std::string rung(const Json& saved, const char* which) {
  return text(saved.at("rungs"), which);
}

Section kinds_section(const Json& saved) {
  const Json& kinds = saved.at("statistics");
  const bool published =
      std::any_of(kinds.begin(), kinds.end(), [](const Json& kind) { return kind.contains("published_percent"); });
  Table table{
      "Errors by kind",
      {{"kind", ""}, {"convolutions", ""}, {"mean", ""}, {"sd", "standard deviation"}, {"max", ""}, {"min", ""}},
      {},
      false,
      false};
  const char* const figures[] = {"mean", "sd", "max", "min"};
  if (published) {
    for (const char* figure : figures) table.columns.push_back({fmt::format("published {}", figure), ""});
  }
  for (const auto& [kind, of] : kinds.items()) {
    std::vector<Cell> cells{text_cell(kind), count_cell(of.at("convolutions").get<std::int64_t>())};
    for (const char* figure : figures) {
      cells.push_back(is_spread(figure) ? percent_cell(of.at(figure).get<double>(), 3) : error_cell(of.at(figure)));
    }
    for (const char* figure : figures) {
      if (!published) break;
      const bool known = of.contains("published_percent");
      if (!known) {
        cells.push_back(text_cell(""));
        continue;
      }
      const double share = of.at("published_percent").at(figure).get<double>() / 100;
      cells.push_back(is_spread(figure) ? percent_cell(share, 2) : change_cell(share, 2));
    }
    table.rows.push_back(std::move(cells));
  }
  std::string what = fmt::format("The error is ({0} - {1}) / {1}, of the cycles of a convolution: a dot each.",
                                 rung(saved, "model"), rung(saved, "against"));
  if (published) what += " The bars below are mean and standard deviation: of these dots, and as published.";
  return {"kinds", "Errors by kind", {what}, true, {table}};
}

Table rows_table(const Json& saved, const std::vector<std::size_t>& order, const std::string& caption, bool search) {
  Table table{caption,
              {{"layer", ""},
               {"kind", ""},
               {"kernel", ""},
               {rung(saved, "model"), "cycles"},
               {rung(saved, "against"), "cycles"},
               {"error", ""},
               {"why", ""}},
              {},
              search,
              false};
  const Json& rows = saved.at("convolutions");
  for (const std::size_t i : order) {
    const Json& row = rows.at(i);
    table.rows.push_back({text_cell(text(row, "layer")), text_cell(text(row, "kind")), text_cell(text(row, "kernel")),
                          count_cell(row.at("model").at("cycles").get<std::int64_t>()),
                          count_cell(row.at("against").at("cycles").get<std::int64_t>()), error_cell(row.at("error")),
                          text_cell(text(row, "reason"))});
  }
  return table;
}

// Of a validation that is held to limits, as that of a run is.
Section limits_section(const Json& saved) {
  const Json& limits = saved.at("limits");
  const auto held = [](bool holds) { return text_cell(holds ? "yes" : "no"); };
  const double total = limits.at("total_percent").get<double>(), one = limits.at("convolution_percent").get<double>();
  Table totals{"Sums of cycles",
               {{"convolutions", ""},
                {rung(saved, "model"), "cycles"},
                {rung(saved, "against"), "cycles"},
                {"error", ""},
                {"allowed", "either way"},
                {"holds", ""}},
               {},
               false,
               false};
  for (const auto& [what, sum] : limits.at("totals").items()) {
    totals.rows.push_back({text_cell(what), count_cell(sum.at("model").get<std::int64_t>()),
                           count_cell(sum.at("against").get<std::int64_t>()), error_cell(sum.at("error")),
                           percent_cell(total / 100), held(sum.at("holds").get<bool>())});
  }
  Section section{"limits", "Limits", {}, false, {totals}};
  const Json& beyond = limits.at("beyond");
  section.text.push_back(fmt::format("The sums may err by {}%, each convolution by {}%, either way: {}.", total, one,
                                     limits.at("holds").get<bool>() ? "all of them hold" : "not all of them hold"));
  if (!beyond.empty()) {
    Table table{fmt::format("Convolutions beyond {}%", one),
                {{"layer", ""}, {"kind", ""}, {"kernel", ""}, {"error", ""}},
                {},
                true,
                false};
    for (const Json& each : beyond) {
      table.rows.push_back({text_cell(text(each, "layer")), text_cell(text(each, "kind")),
                            text_cell(text(each, "kernel")), error_cell(each.at("error"))});
    }
    section.tables.push_back(std::move(table));
  }
  return section;
}

}  // namespace

Page validate_page(const Json& saved) {
  const Json& rows = saved.at("convolutions");
  std::vector<std::size_t> all(rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> worst = all;
  std::stable_sort(worst.begin(), worst.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(rows[a].at("error").get<double>()) > std::fabs(rows[b].at("error").get<double>());
  });
  worst.resize(std::min(worst.size(), kWorst));
  std::set<std::string> kernels;
  double square = 0;
  for (const Json& row : rows) {
    kernels.insert(text(row, "kernel"));
    square += std::pow(row.at("error").get<double>(), 2);
  }
  Page page;
  page.kind = page.command = "validate";
  page.title = text(saved, "name");
  page.lead = fmt::format("{} against {}: {} convolutions on {} kernels.", rung(saved, "model"), rung(saved, "against"),
                          thousands(static_cast<std::int64_t>(rows.size())), kernels.size());
  page.weft_version = WEFT_VERSION;
  for (const auto& [kind, of] : saved.at("statistics").items()) {
    page.figures.push_back({"Mean error, " + kind, change_text(of.at("mean").get<double>(), 2),
                            fmt::format("{} convolutions, sd {}", of.at("convolutions").get<std::int64_t>(),
                                        percent_text(of.at("sd").get<double>(), 2))});
  }
  if (!rows.empty()) {
    page.figures.push_back(
        {"Root mean square", percent_text(std::sqrt(square / static_cast<double>(rows.size())), 2), "of all errors"});
    page.figures.push_back(
        {"Worst", change_text(rows[worst.front()].at("error").get<double>(), 2),
         fmt::format("{} {}", text(rows[worst.front()], "layer"), text(rows[worst.front()], "kind"))});
  }
  page.sections = {kinds_section(saved)};
  page.sections.push_back({"causes",
                           "Where the difference lies",
                           {"What the block that differs most does with the cycles that the other rung does not count: "
                            "means over the convolutions of a kind, as shares of their cycles."},
                           true,
                           {}});
  page.sections.push_back(
      {"worst", "Where the model is most wrong", {}, false, {rows_table(saved, worst, "The worst rows", false)}});
  if (saved.contains("limits")) {
    const Json& limits = saved.at("limits");
    const std::size_t beyond = limits.at("beyond").size();
    page.figures.push_back({"Limits", limits.at("holds").get<bool>() ? "hold" : "exceeded",
                            beyond == 0 ? "by no convolution" : fmt::format("by {} convolutions", beyond)});
    page.sections.push_back(limits_section(saved));
  }
  if (saved.contains("baseline")) {
    const Json& deviations = saved.at("baseline").at("deviations");
    Section section{"baseline", "Baseline", {}, false, {}};
    if (deviations.empty()) {
      section.text.emplace_back("Every error is where the baseline has it.");
    } else {
      Table table{"What differs from the baseline",
                  {{"layer", ""}, {"kind", ""}, {"kernel", ""}, {"old", ""}, {"new", ""}, {"allowed", ""}},
                  {},
                  false,
                  false};
      for (const Json& one : deviations) {
        const auto error = [&](const char* key) {
          return one.at(key).is_null() ? text_cell("") : error_cell(one.at(key));
        };
        table.rows.push_back({text_cell(text(one, "layer")),
                              text_cell(text(one, "kind")),
                              text_cell(text(one, "kernel")),
                              error("old"),
                              error("new"),
                              {fmt::format("{} %", one.at("tolerance_percent").get<double>()),
                               one.at("tolerance_percent").get<double>()}});
      }
      section.tables.push_back(std::move(table));
    }
    page.sections.push_back(std::move(section));
  }
  page.sections.push_back({"rows", "All convolutions", {}, false, {rows_table(saved, all, "All convolutions", true)}});
  page.data = {{"statistics", saved.at("statistics")}, {"rungs", saved.at("rungs")}, {"rows", Json::array()}};
  for (const Json& row : rows) {
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
