#include "platform/studies/validate/limits.h"

#include <algorithm>
#include <cmath>

#include "model/core/error.h"

namespace weft::validate {

static void fields(record::Visitor& io, TotalCycles& total) {
  io("model", "cycles", "cycles on the rung whose error is computed", total.model);
  io("against", "cycles", "cycles on the reference rung", total.against);
  io("error", "1", "(model - against) / against", total.error);
  io("holds", "whether the error is within total_percent", total.holds);
}

static void fields(record::Visitor& io, BeyondLimit& beyond) {
  io("kernel", "name of the kernel", beyond.kernel);
  io("layer", "name of the layer", beyond.layer);
  io.choice("kind", "F, GI or GW", beyond.kind, kKinds);
  io("error", "1", "(model - against) / against", beyond.error);
}

void fields(record::Visitor& io, LimitsVerdict& verdict) {
  io("total_percent", "%", "largest allowed error of a sum of cycles, in either direction", verdict.limits.total);
  io("convolution_percent", "%", "largest allowed error of one convolution, in either direction",
     verdict.limits.convolution);
  io("holds", "whether every error is within its limit", verdict.holds);
  io.group("totals", "sums of cycles", [&](record::Visitor& totals) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      totals(conv::to_string(static_cast<conv::Kind>(kind)), "a sum of cycles", verdict.kinds.at(kind));
    }
    totals("all", "a sum of cycles", verdict.all);
  });
  io.list("beyond", "convolutions beyond their limit, the worst first", "", "a convolution", verdict.beyond);
}

std::vector<std::pair<std::string, TotalCycles>> LimitsVerdict::totals() const {
  std::vector<std::pair<std::string, TotalCycles>> totals;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (kinds.at(kind)) totals.emplace_back(conv::to_string(static_cast<conv::Kind>(kind)), *kinds.at(kind));
  }
  totals.emplace_back("all", all);
  return totals;
}

bool within(double error, double limit_percent) {
  return 100 * std::fabs(error) <= limit_percent;
}

LimitsVerdict judge(const Limits& limits, const std::vector<Pair>& pairs) {
  constexpr const char* kCycles = "the cycles of all convolutions";
  LimitsVerdict verdict;
  verdict.limits = limits;
  const auto add = [&](TotalCycles& total, const Pair& pair) {
    checked::add(total.model, pair.model.cycles, kCycles);
    checked::add(total.against, pair.against.cycles, kCycles);
    total.error = static_cast<double>(total.model - total.against) / static_cast<double>(total.against);
    total.holds = within(total.error, limits.total);
  };
  for (const Pair& pair : pairs) {
    std::optional<TotalCycles>& kind = verdict.kinds.at(static_cast<std::size_t>(pair.kind));
    if (!kind) kind.emplace();
    add(*kind, pair);
    add(verdict.all, pair);
    if (!within(pair.error(), limits.convolution)) {
      verdict.beyond.push_back({pair.kernel, pair.layer.name, pair.kind, pair.error()});
    }
  }
  const auto totals = verdict.totals();
  verdict.holds = verdict.beyond.empty() &&
                  std::all_of(totals.begin(), totals.end(), [](const auto& total) { return total.second.holds; });
  std::stable_sort(verdict.beyond.begin(), verdict.beyond.end(),
                   [](const BeyondLimit& a, const BeyondLimit& b) { return std::fabs(a.error) > std::fabs(b.error); });
  return verdict;
}

}  // namespace weft::validate
