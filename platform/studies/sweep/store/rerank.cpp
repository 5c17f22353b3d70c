#include "platform/studies/sweep/store/rerank.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "platform/studies/sweep/store/judge.h"

namespace weft::sweep {

namespace {

// Order of the rows of one rung.
class Ranking {
 public:
  explicit Ranking(const Results& results)
      : names_(results.axes(), point_columns()),
        judge_(names_, results.constraints(), results.objectives(), results.name()) {}

  // Indices of the rows that can be ranked, best first.
  std::vector<std::size_t> order(const std::vector<ResultRow>& rows) const {
    struct Place {
      std::vector<double> values;  // less is better
      std::int64_t point = 0;
      std::size_t row = 0;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!judge_.feasible(rows[i])) continue;
      Place place{judge_.costs(rows[i]), rows[i].point, i};
      if (std::any_of(place.values.begin(), place.values.end(), [](double value) { return std::isnan(value); }))
        continue;
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

  // Rank of each point; the best is 1.
  std::map<std::int64_t, std::int64_t> ranks(const std::vector<ResultRow>& rows) const {
    std::map<std::int64_t, std::int64_t> ranks;
    for (const std::size_t row : order(rows)) ranks.emplace(rows[row].point, ranks.size() + 1);
    return ranks;
  }

  OnRung on_rung(const ResultRow& row) const {
    const double objective = judge_.objectives(row).front();
    const Value cycles = names_.value(row, "cycles");
    const auto* const known = std::get_if<std::int64_t>(&cycles);
    return {std::isfinite(objective) ? std::optional(objective) : std::nullopt, known ? *known : 0};
  }
  std::string rung(const ResultRow& row) const { return to_text(names_.value(row, "rung")); }

 private:
  RowNames names_;
  Judge judge_;
};

// Fraction by which the first choice is worse than the winner; nothing if either has no value.
std::optional<double> costs(const RerankedPoint& first, const RerankedPoint& winner) {
  if (!first.again || !first.again->objective || !winner.again->objective) return {};
  const double change = *first.again->objective / *winner.again->objective - 1;
  return std::isfinite(change) ? std::optional(change) : std::nullopt;
}

Reranking reranking_of(const Results& results, const std::string& rung, const std::vector<ResultRow>& points,
                       const std::vector<ResultRow>& again) {
  const Ranking ranking(results);
  const std::map<std::int64_t, std::int64_t> first = ranking.ranks(points);
  Reranking all{ranking.rung(points.front()), rung, named(results.objectives().front()), first.size(), {}, {}};
  for (const ResultRow& row : again) {
    const auto rank = first.find(row.point);
    if (rank == first.end()) continue;  // chosen under other constraints or objectives
    const auto point = std::find_if(points.begin(), points.end(), [&](auto& each) { return each.point == row.point; });
    RerankedPoint& line = all.rows.emplace_back();
    line.point = row.point;
    line.rank = rank->second;
    for (std::size_t i = 0; i < results.axes().size(); ++i) {
      line.axes.emplace_back(results.axes()[i], point->parameters[i]);
    }
    line.first = ranking.on_rung(*point);
    if (row.done) {
      line.again = ranking.on_rung(row);
      line.error = static_cast<double>(line.first.cycles) / static_cast<double>(line.again->cycles) - 1;
    } else {
      line.failed = row.error;
    }
  }
  std::sort(all.rows.begin(), all.rows.end(), [](auto& a, auto& b) { return a.rank < b.rank; });
  // Second ranks count the listed rows only.
  std::int64_t second = 0;
  for (const std::size_t row : ranking.order(again)) {
    const auto line =
        std::find_if(all.rows.begin(), all.rows.end(), [&](auto& each) { return each.point == again[row].point; });
    if (line == all.rows.end()) continue;
    line->reranked = ++second;
    if (second > 1) continue;
    const RerankedPoint& best = all.rows.front();
    all.winner = {best.point, line->point, best.point != line->point, costs(best, *line)};
  }
  return all;
}

}  // namespace

void fields(record::Visitor& io, OnRung& x) {
  io.nullable("objective", "that of the objective", "value of the objective", x.objective);
  io("cycles", "cycles", "kernel cycles of an iteration", x.cycles);
}

void fields(record::Visitor& io, RerankedPoint& x) {
  io("point", "1", "number of the point in its space, from 0", x.point);
  io("rank", "1", "rank among all points within the constraints; 1 is best", x.rank);
  io.nullable("reranked", "1", "rank among the points that were run again; null: failed, or outside the constraints",
              x.reranked);
  io.others("", kAxisMeaning, x.axes);
  io("first", "figures on the rung of the sweep", x.first);
  io("again", "figures on the other rung", x.again);
  io("error", "1", "error of the cycles, (first - again) / again", x.error);
  io("failed", "why it could not be run again", x.failed);
}

void fields(record::Visitor& io, RerankWinner& x) {
  io("from", "1", "number of the point on the rung of the sweep", x.from);
  io("reranked", "1", "number of the point on the other rung", x.reranked);
  io("changed", "whether the two points differ", x.changed);
  io.nullable("first_costs", "1", "increase of the objective from the best to the first choice, on the other rung",
              x.first_costs);
}

void fields(record::Visitor& io, Reranking& x) {
  io("from", "rung of the sweep", x.from);
  io("rung", "the other rung", x.rung);
  io.named("objective", "objective of the ranks: minimize or maximize", "", "expression", x.objective);
  io("ranked", "points", "points that have a first rank", x.ranked);
  io.list("rows", "points by first rank", "", "a point that was run again, with its axes", x.rows);
  io("winner", "best points of both rungs", x.winner);
}

void fields(record::Visitor& io, RerankResult& x) {
  io("name", "name of the sweep", x.sweep);
  io("weft_version", "the version of weft that ran it", x.weft_version);
  io.list("rerankings", "re-rankings by rung", "", "a rung", x.rerankings);
}

std::vector<std::int64_t> best_points(const Results& results, std::int64_t count) {
  const std::vector<ResultRow> rows = results.read_points();
  std::vector<std::int64_t> best;
  for (const std::size_t row : Ranking(results).order(rows)) {
    if (static_cast<std::int64_t>(best.size()) == count) break;
    best.push_back(rows[row].point);
  }
  return best;
}

std::vector<std::int64_t> to_rerank(const Definition& definition, const Store& store) {
  if (!definition.rerank() || static_cast<std::int64_t>(store.recorded().size()) < definition.points()) return {};
  std::vector<std::int64_t> tasks;
  for (const std::int64_t point : best_points(Results(store.path(), store.sweep()), definition.rerank()->count)) {
    const std::int64_t task = definition.reranked(point);
    if (!store.has(definition, task)) tasks.push_back(task);
  }
  return tasks;
}

RerankResult rerank_result(const Results& results) {
  const std::vector<ResultRow> points = results.read_points();
  RerankResult result{results.name(), results.weft_version(), {}};
  for (const auto& [rung, again] : results.read_reranked()) {
    if (again.empty() || results.objectives().empty()) continue;
    Reranking one = reranking_of(results, rung, points, again);
    if (!one.rows.empty()) result.rerankings.push_back(std::move(one));
  }
  return result;
}

}  // namespace weft::sweep
