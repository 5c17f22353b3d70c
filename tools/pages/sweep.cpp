#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "model/core/text.h"
#include "platform/design/value_json.h"
#include "platform/studies/sweep/definition/definition.h"
#include "platform/studies/sweep/definition/figures.h"
#include "platform/studies/sweep/store/judge.h"
#include "platform/studies/sweep/store/results.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"
#include "tools/sweep/rerank.h"

namespace weft::tools {

using report::Cell;
using report::Page;
using report::Section;
using report::Table;
using sweep::ResultRow;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kFrontRows = 200;  // of the table of the front

Cell value_cell(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return count_cell(*integer);
  if (const auto* real = std::get_if<double>(&value)) return {fmt::format("{:.6g}", *real), *real};
  return text_cell(weft::to_text(value));
}

class SweepPage {
 public:
  explicit SweepPage(const std::filesystem::path& path)
      : results_(path),
        names_(results_.axes(), sweep::point_columns()),
        judge_(names_, results_.constraints(), results_.objectives(), path.string()),
        rows_(results_.read_points()) {
    for (const ResultRow& row : rows_) feasible_.push_back(judge_.feasible(row));
    read_front();
  }

  Page page() const {
    Page page;
    page.kind = page.command = "sweep";
    page.title = results_.name();
    page.lead = results_.title();
    page.weft_version = results_.code_version();
    const auto failed = std::count_if(rows_.begin(), rows_.end(), [](const ResultRow& row) { return !row.done; });
    const auto feasible = std::count(feasible_.begin(), feasible_.end(), true);
    page.figures = {{"Points", thousands(static_cast<std::int64_t>(rows_.size())),
                     fmt::format("of {} in the space", thousands(results_.points()))},
                    {"Within the constraints", thousands(feasible),
                     results_.constraints().empty() ? "there are none" : list(results_.constraints())},
                    {"Pareto front", thousands(static_cast<std::int64_t>(front_.size())), objectives_text()},
                    {"Axes", fmt::format("{}", results_.axes().size()), axes_text()}};
    if (failed > 0) page.figures.push_back({"Failed", thousands(failed), "weft show --failed says why"});
    page.sections = {pareto(), parallel(), front_section()};
    if (!results_.read_reranked().empty() && !results_.objectives().empty()) page.sections.push_back(rerank_section());
    page.sections.push_back({"points", "All points", {}, true, {}});
    page.data = data();
    return page;
  }

 private:
  static std::string list(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
  }
  std::string objectives_text() const {
    std::vector<std::string> texts;
    for (const sweep::Objective& each : results_.objectives())
      texts.push_back((each.maximize ? "most " : "least ") + each.expression);
    return texts.empty() ? "no objectives are recorded" : list(texts);
  }
  std::string axes_text() const {
    std::vector<std::string> names;
    for (const std::string& axis : results_.axes()) names.push_back(title_of(axis));
    return list(names);
  }
  // The last word of an axis, where no other one ends with it.
  std::string title_of(const std::string& axis) const {
    const std::string name = sweep::short_name(axis);
    const auto same = [&](const std::string& each) { return sweep::short_name(each) == name; };
    return std::count_if(results_.axes().begin(), results_.axes().end(), same) > 1 ? axis : name;
  }

  void read_front() {
    if (results_.objectives().empty()) return;
    std::vector<ResultRow> candidates;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!feasible_[i]) continue;
      candidates.push_back(rows_[i]);
      indices.push_back(i);
    }
    const std::vector<bool> on = judge_.front(candidates);
    for (std::size_t i = 0; i < on.size(); ++i) {
      if (on[i]) front_.push_back(indices[i]);
    }
    std::stable_sort(front_.begin(), front_.end(), [&](std::size_t a, std::size_t b) {
      return judge_.objectives(rows_[a]).front() < judge_.objectives(rows_[b]).front();
    });
  }

  static Section pareto() {
    return {"pareto",
            "What no other point beats",
            {"Every point of the sweep; those on the Pareto front of the recorded objectives stand out. Any field can "
             "be put on either axis."},
            true,
            {}};
  }
  static Section parallel() {
    return {"parallel",
            "All parameters at once",
            {"A line a point, from parameter to parameter and on to what came of it; the front in colour. A click on "
             "an axis keeps only the lines through that part of it."},
            true,
            {}};
  }

  Section front_section() const {
    Table table{
        fmt::format("The Pareto front{}",
                    front_.size() > kFrontRows ? fmt::format(", {} of {} points", kFrontRows, front_.size()) : ""),
        {{"point", ""}},
        {},
        true,
        false};
    for (const std::string& axis : results_.axes()) table.columns.push_back({title_of(axis), axis});
    for (const sweep::Objective& each : results_.objectives())
      table.columns.push_back({each.expression, each.maximize ? "as much as possible" : "as little as possible"});
    for (std::size_t i = 0; i < std::min(front_.size(), kFrontRows); ++i) {
      const ResultRow& row = rows_[front_[i]];
      std::vector<Cell> cells{count_cell(row.point)};
      for (const Value& value : row.parameters) cells.push_back(value_cell(value));
      for (const double value : judge_.objectives(row)) cells.push_back(value_cell(value));
      table.rows.push_back(std::move(cells));
    }
    Section section{"front", "The front", {}, false, {}};
    if (front_.empty()) {
      section.text.emplace_back(results_.objectives().empty() ? "The sweep was recorded without objectives."
                                                              : "No point satisfies the constraints.");
    } else {
      section.tables.push_back(std::move(table));
    }
    return section;
  }

  // What weft show --rerank prints.
  Section rerank_section() const {
    Section section{"rerank", "The best, simulated again", {}, false, {}};
    const Json saved = Json::parse(rerank_report(results_).json);
    for (const Json& rung : saved.at("rerankings")) {
      const auto from = rung.at("from").get<std::string>(), to = rung.at("rung").get<std::string>();
      const auto objective = rung.at("objective").begin();
      const auto expression = objective.value().get<std::string>();
      section.text.push_back(fmt::format("The best {} of {} points by {} {}, run again on the {} rung{}",
                                         rung.at("rows").size(), thousands(rung.at("ranked").get<std::int64_t>()),
                                         objective.key() == "maximize" ? "most" : "least", expression, to,
                                         winner_text(rung)));
      section.tables.push_back(rerank_table(rung, from, to, expression));
    }
    return section;
  }
  static std::string winner_text(const Json& rung) {
    if (!rung.contains("winner")) return "; every run failed or leaves the constraints.";
    const Json& winner = rung.at("winner");
    const auto first = winner.at("from").get<std::int64_t>(), second = winner.at("reranked").get<std::int64_t>();
    if (!winner.at("changed").get<bool>()) return fmt::format("; point {} wins on both.", first);
    return fmt::format("; the winner changes from point {} to point {}.", first, second);
  }
  Table rerank_table(const Json& rung, const std::string& from, const std::string& to,
                     const std::string& objective) const {
    Table table{fmt::format("Both ranks, {} and {} rung", from, to), {{"point", ""}}, {}, true, false};
    for (const std::string& axis : results_.axes()) table.columns.push_back({title_of(axis), axis});
    table.columns.push_back({"rank, " + from, "among all points within the constraints"});
    table.columns.push_back({"rank, " + to, "among those that were run again"});
    for (const std::string& each : {from, to}) table.columns.push_back({fmt::format("{}, {}", objective, each), ""});
    for (const std::string& each : {from, to}) table.columns.push_back({fmt::format("cycles, {}", each), ""});
    table.columns.push_back({"error", fmt::format("({} - {}) / {}, of the cycles", from, to, to)});
    for (const Json& row : rung.at("rows")) {
      std::vector<Cell> cells{count_cell(row.at("point").get<std::int64_t>())};
      for (const std::string& axis : results_.axes()) cells.push_back(json_cell(row.at(axis)));
      cells.push_back(json_cell(row.at("rank")));
      cells.push_back(row.at("reranked").is_null() ? text_cell(row.contains("failed") ? "failed" : "not met")
                                                   : json_cell(row.at("reranked")));
      for (const char* figure : {"objective", "cycles"}) {
        for (const char* on : {"first", "again"}) {
          cells.push_back(row.contains(on) ? json_cell(row.at(on).at(figure)) : text_cell(""));
        }
      }
      cells.push_back(row.contains("error") ? change_cell(row.at("error").get<double>(), 3) : text_cell(""));
      table.rows.push_back(std::move(cells));
    }
    return table;
  }
  static Cell json_cell(const Json& value) {
    if (value.is_number_integer()) return count_cell(value.get<std::int64_t>());
    if (value.is_number()) return value_cell(value.get<double>());
    return text_cell(value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump());
  }

  Json data() const {
    Json data{{"axes", Json::array()},
              {"objectives", Json::array()},
              {"columns", Json::array()},
              {"values", Json::array()},
              {"front", Json::array()}};
    const auto add = [&](const char* list, const std::string& name, const std::string& meaning, Json values) {
      if (list) data[list].push_back(data["columns"].size());
      data["columns"].push_back({{"name", name}, {"meaning", meaning}});
      data["values"].push_back(std::move(values));
    };
    const auto of_rows = [&](auto value) {
      Json values = Json::array();
      for (const ResultRow& row : rows_) values.push_back(value(row));
      return values;
    };
    add(nullptr, "point", "its number in the space", of_rows([](const ResultRow& row) { return Json(row.point); }));
    for (std::size_t i = 0; i < results_.axes().size(); ++i) {
      add("axes", title_of(results_.axes()[i]), results_.axes()[i],
          of_rows([i](const ResultRow& row) { return json_of<Json>(row.parameters[i]); }));
    }
    std::vector<std::string> taken;
    for (std::size_t i = 0; i < results_.objectives().size(); ++i) {
      const sweep::Objective& each = results_.objectives()[i];
      taken.push_back(each.expression);
      add("objectives", each.expression, each.maximize ? "as much as possible" : "as little as possible",
          of_rows([&](const ResultRow& row) {
            const double value = row.done ? judge_.objectives(row)[i] : NAN;
            return std::isfinite(value) ? Json(value) : Json();
          }));
      data["maximize"].push_back(each.maximize);
    }
    // What is the same of all points, or known of none, tells none apart.
    const std::vector<record::Column>& fields = sweep::point_columns();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (std::find(taken.begin(), taken.end(), fields[i].name) != taken.end()) continue;
      Json values = of_rows([i](const ResultRow& row) { return row.done ? json_of<Json>(row.fields[i]) : Json(); });
      const bool differ =
          std::any_of(values.begin(), values.end(), [&](const Json& value) { return value != values.front(); });
      if (differ) add(nullptr, fields[i].name, fields[i].meaning, std::move(values));
    }
    data["feasible"] = Json::array();
    for (const bool feasible : feasible_) data["feasible"].push_back(feasible ? 1 : 0);
    data["front"] = front_;
    return data;
  }

  sweep::Results results_;
  sweep::RowNames names_;
  sweep::Judge judge_;
  std::vector<ResultRow> rows_;
  std::vector<bool> feasible_;
  std::vector<std::size_t> front_;  // of the rows
};

}  // namespace

Page sweep_page(const std::filesystem::path& database) {
  return SweepPage(database).page();
}

}  // namespace weft::tools
