#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/engine/return_queue.h"

namespace weft::test {

// Returns the beats that are under way: the first cycle and the number of beats of each run.
inline std::vector<std::pair<Cycles, std::int64_t>> runs_of(const engine::ReturnQueue& queue) {
  std::vector<std::pair<Cycles, std::int64_t>> runs;
  queue.for_each([&](Cycles first, std::int64_t count) { runs.emplace_back(first, count); });
  return runs;
}

}  // namespace weft::test
