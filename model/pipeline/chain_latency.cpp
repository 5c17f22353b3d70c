#include "model/pipeline/chain_latency.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"

namespace weft::pipeline {

Cycles chain_latency(const std::vector<Stage>& chain, std::int64_t pixels) {
  const auto faster = [](const Stage& a, const Stage& b) { return a.cycles < b.cycles; };
  const auto slowest = std::max_element(chain.begin(), chain.end(), faster);
  if (slowest == chain.end()) return 0;
  Cycles sum = (pixels - 1) * slowest->cycles;
  std::int64_t lags = 0;
  for (auto stage = chain.begin(); stage != chain.end(); ++stage) {
    const auto makes_up = stage < slowest ? std::max_element(chain.begin(), stage + 1, faster)
                                          : std::max_element(stage, chain.end(), faster);
    sum += stage->cycles + (stage->lag - 1) * makes_up->cycles;
    lags += stage->lag - 1;
  }
  if (lags >= pixels) {
    throw Error(
        fmt::format("the chain's line buffers are {} pixels behind, and an image has {}: the closed form of its "
                    "latency holds for fewer pixels behind than an image has",
                    lags, pixels));
  }
  return sum;
}

}  // namespace weft::pipeline
