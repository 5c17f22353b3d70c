#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/sizing.h"

namespace weft::test {

// A plan whose alpha is large enough for `beta`, in timing mode unless told otherwise.
inline fpgpt::Plan plan_of(fpgpt::Alpha alpha, const conv::Convolution& beta, bool with_data = false) {
  const fpgpt::Alpha fitted = fpgpt::fitted(alpha, beta);
  const int z = std::max(alpha.z, fitted.z);
  alpha = fitted;
  alpha.z = z;
  return fpgpt::make_plan(alpha, beta, with_data);
}

// Section 12 of the contract, whose launch is in section 14: 4x4 IFM, one 3x3 kernel, OUT 2x2; X = 4, Y = 1 there.
inline conv::Convolution contract_example() {
  conv::Convolution c;
  c.h = c.w = {4, 3, 2, 1, 0, 1, 1};
  c.inp = {0, 16, 16, 16};
  c.out = {0, 0, 4, 4};
  return c;
}

// What one cycle of a bench saw.
struct Seen {
  Activity activity;
  bool took, gave;
};

// Drives one block between an input and an output FIFO. Tokens arrive from the cycles in `arrivals` on (pushed in that
// cycle, so visible one later); the output is drained every cycle from `drain_from` on.
struct BlockBench {
  Fifo in{1000, 1, false};
  Fifo out{1000, 1, false};
  std::map<Cycles, int> arrivals;
  Cycles drain_from = 0;

  std::vector<Seen> run(Cycles cycles, const std::function<Activity(Cycles, Fifo&, Fifo&)>& step) {
    std::vector<Seen> seen;
    for (Cycles now = 0; now < cycles; ++now) {
      const auto popped = in.popped(), pushed = out.pushed();
      const Activity activity = step(now, in, out);
      seen.push_back({activity, in.popped() != popped, out.pushed() != pushed});
      if (arrivals.count(now)) in.push(now);
      if (now >= drain_from && out.can_pop(now)) out.pop(now);
    }
    return seen;
  }
};

// Tokens that are visible from cycle 0 on.
inline void fill(Fifo& fifo, int tokens) {
  for (int i = 0; i < tokens; ++i) fifo.push(-2);
}

inline std::vector<Cycles> gives(const std::vector<Seen>& seen) {
  std::vector<Cycles> cycles;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].gave) cycles.push_back(static_cast<Cycles>(i));
  }
  return cycles;
}
inline std::vector<Cycles> takes(const std::vector<Seen>& seen) {
  std::vector<Cycles> cycles;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].took) cycles.push_back(static_cast<Cycles>(i));
  }
  return cycles;
}

// first, first + 1, ..., `count` of them.
inline std::vector<Cycles> consecutive(Cycles first, std::int64_t count) {
  std::vector<Cycles> cycles;
  for (std::int64_t i = 0; i < count; ++i) cycles.push_back(first + i);
  return cycles;
}

}  // namespace weft::test
