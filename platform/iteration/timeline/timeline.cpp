#include "platform/iteration/timeline/timeline.h"

#include <algorithm>

namespace weft::timeline {

const char* to_string(StepKind activity) {
  static constexpr std::array<const char*, kStepKinds> kNames{"kernel", "precompute", "reconfiguration", "H2C",
                                                              "C2H",    "call",       "host operator",   "im2col",
                                                              "tiling", "untiling",   "quantise",        "dequantise"};
  return kNames[static_cast<std::size_t>(activity)];
}

const char* to_string(Resource resource) {
  static constexpr std::array<const char*, kResources> kNames{"host", "link H2C", "link C2H", "card"};
  return kNames[static_cast<std::size_t>(resource)];
}

Resource resource_of(StepKind activity) {
  if (activity <= StepKind::Reconfiguration) return Resource::Card;
  if (activity == StepKind::ToCard) return Resource::ToCard;
  return activity == StepKind::ToHost ? Resource::ToHost : Resource::Host;
}

Breakdown breakdown(const Timeline& timeline) {
  struct Edge {
    Picoseconds time;
    std::size_t activity;
    int change;
  };
  std::vector<Edge> edges;
  edges.reserve(2 * timeline.steps.size());
  for (const Step& step : timeline.steps) {
    const auto activity = static_cast<std::size_t>(step.activity);
    edges.push_back({step.start, activity, 1});
    edges.push_back({step.end, activity, -1});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time < b.time; });
  Breakdown result;
  std::array<int, kStepKinds> under_way{};
  Picoseconds now = 0;
  const auto pass = [&](Picoseconds until) {
    const auto first = std::find_if(under_way.begin(), under_way.end(), [](int count) { return count > 0; });
    (first == under_way.end() ? result.idle : result.time[static_cast<std::size_t>(first - under_way.begin())]) +=
        until - now;
    now = until;
  };
  for (const Edge& edge : edges) {
    if (edge.time > now) pass(edge.time);
    under_way[edge.activity] += edge.change;
  }
  pass(timeline.end);
  return result;
}

std::array<Picoseconds, kResources> busy(const Timeline& timeline) {
  std::array<Picoseconds, kResources> sums{};
  for (const Step& step : timeline.steps) {
    sums[static_cast<std::size_t>(resource_of(step.activity))] += step.duration();
  }
  return sums;
}

std::vector<std::size_t> critical_path(const Timeline& timeline) {
  std::vector<std::size_t> path;
  const auto last = std::find_if(timeline.steps.begin(), timeline.steps.end(),
                                 [&](const Step& step) { return step.end == timeline.end; });
  if (last == timeline.steps.end()) return path;
  std::optional<std::size_t> at = static_cast<std::size_t>(last - timeline.steps.begin());
  while (at) {
    path.push_back(*at);
    at = timeline.steps[*at].after;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace weft::timeline
