#include "tools/sweep/rerank.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/core/error.h"
#include "platform/design/value_json.h"
#include "platform/document/text.h"
#include "platform/studies/sweep/fields.h"
#include "tools/sweep/judge.h"

namespace weft::tools {

using report::csv_field;
using sweep::ResultRow;
using Json = nlohmann::ordered_json;

namespace {

// The order of the rows of one rung.
class Ranking {
 public:
  explicit Ranking(const sweep::Results& results)
      : results_(results),
        names_(results.axes(), sweep::point_fields()),
        judge_(names_, results.constraints(), results.objectives(), results.name()) {}

  // Indices of the rows that can be ranked, the best first.
  std::vector<std::size_t> order(const std::vector<ResultRow>& rows) const {
    struct Place {
      std::vector<double> values;  // the less, the better
      std::int64_t point = 0;
      std::size_t row = 0;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!judge_.feasible(rows[i])) continue;
      Place place{judge_.objectives(rows[i]), rows[i].point, i};
      if (std::any_of(place.values.begin(), place.values.end(), [](double value) { return std::isnan(value); }))
        continue;
      for (std::size_t k = 0; k < place.values.size(); ++k) {
        if (results_.objectives()[k].maximize) place.values[k] = -place.values[k];
      }
      places.push_back(std::move(place));
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return a.values != b.values ? a.values < b.values : a.point < b.point;
    });
    std::vector<std::size_t> order;
    order.reserve(places.size());
    for (const Place& place : places) order.push_back(place.row);
    return order;
  }

  // Rank of each point, the best 1.
  std::map<std::int64_t, std::int64_t> ranks(const std::vector<ResultRow>& rows) const {
    std::map<std::int64_t, std::int64_t> ranks;
    for (const std::size_t row : order(rows)) ranks.emplace(rows[row].point, ranks.size() + 1);
    return ranks;
  }

  double objective(const ResultRow& row) const { return judge_.objectives(row).front(); }
  Value value(const ResultRow& row, const std::string& name) const { return names_.value(row, name); }

 private:
  const sweep::Results& results_;
  sweep::RowNames names_;
  SweepJudge judge_;
};

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

double as_number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  const auto* real = std::get_if<double>(&value);
  return real ? *real : std::nan("");
}

class Reranking {
 public:
  Reranking(const sweep::Results& results, std::string rung, const std::vector<ResultRow>& points,
            const std::vector<ResultRow>& again)
      : results_(results), ranking_(results), rung_(std::move(rung)) {
    const std::map<std::int64_t, std::int64_t> first = ranking_.ranks(points), second = ranking_.ranks(again);
    ranked_ = first.size();
    from_ = weft::to_text(ranking_.value(points.front(), "rung"));
    for (const ResultRow& row : again) {
      const auto at_first = first.find(row.point);
      if (at_first == first.end()) continue;  // other constraints or objectives chose it
      const auto at_second = second.find(row.point);
      const auto point =
          std::find_if(points.begin(), points.end(), [&](auto& each) { return each.point == row.point; });
      lines_.push_back({&*point, &row, at_first->second, at_second == second.end() ? 0 : at_second->second});
    }
    std::sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.first_rank < b.first_rank; });
    // Ranks of those that are shown; one that no longer can be chosen is none of them.
    std::vector<Line*> seconds;
    for (Line& line : lines_) {
      if (line.second_rank > 0) seconds.push_back(&line);
    }
    std::sort(seconds.begin(), seconds.end(),
              [](const Line* a, const Line* b) { return a->second_rank < b->second_rank; });
    for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i]->second_rank = static_cast<std::int64_t>(i) + 1;
    if (!seconds.empty()) winner_ = seconds.front();
  }

  bool empty() const { return lines_.empty(); }

  std::string table() const {
    const sweep::Objective& by = results_.objectives().front();
    std::string text = fmt::format("re-ranked    {} of {} points by {} {}, on the {} rung\n", lines_.size(), ranked_,
                                   by.maximize ? "maximize" : "minimize", by.expression, rung_);
    std::vector<std::vector<std::string>> cells(1, {"rank", "point"});
    for (const std::string& axis : results_.axes()) cells.front().push_back(sweep::short_name(axis));
    for (const std::string& rung : {from_, rung_}) cells.front().push_back(by.expression + ", " + rung);
    for (const std::string& rung : {from_, rung_}) cells.front().push_back("cycles, " + rung);
    cells.front().emplace_back("error");
    for (const Line& line : lines_) {
      std::vector<std::string>& row = cells.emplace_back();
      row.push_back(fmt::format("{} -> {}", line.first_rank,
                                line.second_rank > 0 ? std::to_string(line.second_rank)
                                : line.again->done   ? "not met"
                                                     : "failed"));
      row.push_back(std::to_string(line.point->point));
      for (const Value& value : line.point->parameters) row.push_back(weft::to_text(value));
      row.push_back(number_text(ranking_.objective(*line.point)));
      row.push_back(line.again->done ? number_text(ranking_.objective(*line.again)) : "");
      row.push_back(weft::to_text(cycles(*line.point)));
      row.push_back(line.again->done ? weft::to_text(cycles(*line.again)) : "");
      row.push_back(line.again->done ? fmt::format("{:+.3f}%", 100 * error(line)) : "");
    }
    const report::FittedTable table = report::table_of(cells);
    return text + table.text(page_width()) + left_out_line(table, "--format csv has them") + winner_text() +
           errors_text();
  }

  Json json() const {
    Json rows = Json::array();
    for (const Line& line : lines_) {
      Json row{{"point", line.point->point},
               {"rank", line.first_rank},
               {"reranked", line.second_rank > 0 ? Json(line.second_rank) : Json()}};
      for (std::size_t i = 0; i < results_.axes().size(); ++i) {
        row[results_.axes()[i]] = json_of<Json>(line.point->parameters[i]);
      }
      for (const auto& [key, of] : {std::pair("first", line.point), std::pair("again", line.again)}) {
        if (!of->done) continue;
        const double objective = ranking_.objective(*of);
        row[key] = {{"objective", std::isfinite(objective) ? Json(objective) : Json()},
                    {"cycles", json_of<Json>(cycles(*of))}};
      }
      if (line.again->done) {
        row["error"] = error(line);
      } else {
        row["failed"] = line.again->error;
      }
      rows.push_back(std::move(row));
    }
    const sweep::Objective& by = results_.objectives().front();
    Json json{{"from", from_},
              {"rung", rung_},
              {"objective", {{by.maximize ? "maximize" : "minimize", by.expression}}},
              {"ranked", ranked_},
              {"rows", rows}};
    if (winner_) {
      json["winner"] = {{"from", lines_.front().point->point},
                        {"reranked", winner_->point->point},
                        {"changed", changed()},
                        {"first_costs", costs() ? Json(*costs()) : Json()}};
    }
    return json;
  }

  std::string csv_head() const {
    std::string text = "point,from,rung,rank,reranked";
    for (const std::string& axis : results_.axes()) text += "," + csv_field(axis);
    return text + ",objective_from,objective,cycles_from,cycles,error,failed\n";
  }
  std::string csv() const {
    std::string text;
    for (const Line& line : lines_) {
      text += fmt::format("{},{},{},{},{}", line.point->point, from_, rung_, line.first_rank,
                          line.second_rank > 0 ? std::to_string(line.second_rank) : "");
      for (const Value& value : line.point->parameters) text += "," + csv_field(weft::to_text(value));
      const bool done = line.again->done;
      text += fmt::format(",{},{},{},{},{},{}\n", ranking_.objective(*line.point),
                          done ? fmt::format("{}", ranking_.objective(*line.again)) : "",
                          weft::to_text(cycles(*line.point)), done ? weft::to_text(cycles(*line.again)) : "",
                          done ? fmt::format("{}", error(line)) : "", csv_field(line.again->error));
    }
    return text;
  }

 private:
  struct Line {
    const ResultRow *point, *again;
    std::int64_t first_rank, second_rank;  // the second 0: none
  };

  Value cycles(const ResultRow& row) const { return ranking_.value(row, "cycles"); }
  double error(const Line& line) const { return as_number(cycles(*line.point)) / as_number(cycles(*line.again)) - 1; }
  bool changed() const { return winner_ != &lines_.front(); }

  // By how much the first choice is worse than the winner, as a share; nothing if it has no value, or the winner none.
  std::optional<double> costs() const {
    if (!lines_.front().again->done) return {};
    const double best = ranking_.objective(*winner_->again), first = ranking_.objective(*lines_.front().again);
    const double change = first / best - 1;
    return std::isfinite(change) ? std::optional(change) : std::nullopt;
  }

  std::string winner_text() const {
    if (!winner_) return "winner       none: every run again failed or leaves the constraints\n";
    const std::int64_t first = lines_.front().point->point;
    if (!changed()) return fmt::format("winner       point {} on both rungs\n", first);
    std::string text = fmt::format("winner       changed: point {} on the {} rung, point {} on the {} rung", first,
                                   from_, winner_->point->point, rung_);
    if (costs()) {
      text += fmt::format(", where point {} has {:+.3g}% {}", first, 100 * *costs(),
                          results_.objectives().front().expression);
    }
    return text + "\n";
  }

  std::string errors_text() const {
    std::string text;
    for (const Line& line : lines_) {
      if (!line.again->done) text += fmt::format("failed       point {}: {}\n", line.point->point, line.again->error);
    }
    return text;
  }

  const sweep::Results& results_;
  Ranking ranking_;
  std::string rung_, from_;
  std::vector<Line> lines_;  // by their first ranks
  std::size_t ranked_ = 0;   // points that have a first rank
  const Line* winner_ = nullptr;
};

}  // namespace

std::vector<std::int64_t> best_points(const sweep::Results& results, std::int64_t count) {
  const std::vector<ResultRow> rows = results.read_points();
  std::vector<std::int64_t> best;
  for (const std::size_t row : Ranking(results).order(rows)) {
    if (static_cast<std::int64_t>(best.size()) == count) break;
    best.push_back(rows[row].point);
  }
  return best;
}

Report rerank_report(const sweep::Results& results) {
  const std::vector<ResultRow> points = results.read_points();
  Report report;
  Json all = Json::array();
  for (const auto& [rung, again] : results.read_reranked()) {
    if (again.empty() || results.objectives().empty()) continue;
    const Reranking one(results, rung, points, again);
    if (one.empty()) continue;
    if (report.csv.empty()) report.csv = one.csv_head();
    report.table += one.table();
    report.csv += one.csv();
    all.push_back(one.json());
  }
  if (all.empty()) {
    throw Error(fmt::format("no point of sweep {} was run again on another rung; weft sweep --rerank N does it",
                            results.name()));
  }
  report.json =
      Json{{"sweep", results.name()}, {"code_version", results.code_version()}, {"rerankings", all}}.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
