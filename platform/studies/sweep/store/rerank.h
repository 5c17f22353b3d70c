#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/studies/sweep/store/results.h"
#include "platform/studies/sweep/store/store.h"

namespace weft::sweep {

// The `count` best points of a sweep, best first: those that meet the constraints, ordered by the first objective, then
// the next, then by number. Depends only on the recorded rows. Throws Error.
std::vector<std::int64_t> best_points(const Results& results, std::int64_t count);

// Tasks that re-run the best points once all points are recorded; tasks already recorded are left out.
std::vector<std::int64_t> to_rerank(const Definition& definition, const Store& store);

// Result of a point on one rung.
struct OnRung {
  std::optional<double> objective;
  std::int64_t cycles = 0;
};
void fields(record::Visitor& io, OnRung& point);

// Point that was run again. If the second run failed, `failed` is set and `again` is not. A failed point, or one that
// violates the constraints, has no second rank.
struct RerankedPoint {
  std::int64_t point = 0, rank = 0;
  std::optional<std::int64_t> reranked;
  record::Named<Value> axes;
  OnRung first;
  std::optional<OnRung> again;
  std::optional<double> error;
  std::optional<std::string> failed;
};
void fields(record::Visitor& io, RerankedPoint& point);

struct RerankWinner {
  std::int64_t from = 0, reranked = 0;
  bool changed = false;
  std::optional<double> first_costs;
};
void fields(record::Visitor& io, RerankWinner& winner);

struct Reranking {
  std::string from, rung;
  NamedObjective objective;
  std::size_t ranked = 0;
  std::vector<RerankedPoint> rows;
  std::optional<RerankWinner> winner;
};
void fields(record::Visitor& io, Reranking& reranking);

struct RerankResult {
  std::string sweep, weft_version;
  std::vector<Reranking> rerankings;
};
void fields(record::Visitor& io, RerankResult& result);

// Points that were run again on another rung, with their first ranks and cycles.
RerankResult rerank_result(const Results& results);

}  // namespace weft::sweep
