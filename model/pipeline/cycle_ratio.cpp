#include "model/pipeline/cycle_ratio.h"

#include <optional>

#include "model/core/error.h"

namespace weft::pipeline {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A cycle whose delays exceed `ratio` times its images, if there is one: by Bellman and Ford, from everywhere at once.
std::optional<std::vector<std::size_t>> cycle_above(std::size_t nodes, const std::vector<TimedEdge>& edges,
                                                    const Rational& ratio) {
  std::vector<std::int64_t> longest(nodes, 0);
  std::vector<std::size_t> by(nodes, kNone);  // the edge that gave it
  const auto find = [&]() -> std::optional<std::vector<std::size_t>> {
    std::vector<std::size_t> seen(nodes, kNone);
    for (std::size_t start = 0; start < nodes; ++start) {
      std::size_t at = start;
      while (seen[at] == kNone && by[at] != kNone) {
        seen[at] = start;
        at = edges[by[at]].from;
      }
      if (by[at] == kNone || seen[at] != start) continue;
      std::vector<std::size_t> cycle;
      const std::size_t end = at;
      do {
        cycle.push_back(by[at]);
        at = edges[by[at]].from;
      } while (at != end);
      return cycle;
    }
    return std::nullopt;
  };
  for (std::size_t round = 0;; ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const TimedEdge& edge = edges[i];
      const std::int64_t value =
          longest[edge.from] + edge.delay * ratio.denominator() - edge.images * ratio.numerator();
      if (value <= longest[edge.to]) continue;
      longest[edge.to] = value;
      by[edge.to] = i;
      changed = true;
    }
    if (!changed) return std::nullopt;
    // The edges that gave the longest paths have a cycle as soon as these cannot end.
    if (auto cycle = find()) return cycle;
    if (round > nodes) throw Error("the longest paths do not end, and no cycle is found");
  }
}

}  // namespace

Rational maximum_cycle_ratio(std::size_t nodes, const std::vector<TimedEdge>& edges, const Rational& floor) {
  Rational ratio = floor;
  while (const auto cycle = cycle_above(nodes, edges, ratio)) {
    Cycles delay = 0;
    std::int64_t images = 0;
    for (const std::size_t i : *cycle) {
      delay += edges[i].delay;
      images += edges[i].images;
    }
    if (images <= 0) throw Error("steps wait for each other within an image");
    ratio = Rational(delay, images);
  }
  return ratio;
}

}  // namespace weft::pipeline
