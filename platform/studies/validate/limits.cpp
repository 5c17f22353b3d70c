#include "platform/studies/validate/limits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/core/checked.h"

namespace weft::validate {

namespace {

bool within(double error, double limit_percent) {
  return 100 * std::fabs(error) <= limit_percent;
}

}  // namespace

bool LimitsVerdict::holds() const {
  return beyond.empty() && std::all_of(totals.begin(), totals.end(), [](const Total& total) { return total.holds; });
}

LimitsVerdict judge(const Limits& limits, const std::vector<Pair>& pairs) {
  constexpr const char* kCycles = "the cycles of all convolutions";
  std::array<LimitsVerdict::Total, kKinds> kinds;
  LimitsVerdict::Total all;
  all.what = "all";
  LimitsVerdict verdict;
  verdict.limits = limits;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    LimitsVerdict::Total& kind = kinds.at(static_cast<std::size_t>(pair.kind));
    kind.what = conv::to_string(pair.kind);
    for (LimitsVerdict::Total* total : {&kind, &all}) {
      checked::add(total->model, pair.model.cycles, kCycles);
      checked::add(total->against, pair.against.cycles, kCycles);
    }
    if (!within(pair.error(), limits.convolution)) verdict.beyond.push_back(i);
  }
  std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(verdict.totals),
               [](const LimitsVerdict::Total& total) { return !total.what.empty(); });
  verdict.totals.push_back(all);
  for (LimitsVerdict::Total& total : verdict.totals) total.holds = within(total.error(), limits.total);
  std::stable_sort(verdict.beyond.begin(), verdict.beyond.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(pairs[a].error()) > std::fabs(pairs[b].error());
  });
  return verdict;
}

}  // namespace weft::validate
