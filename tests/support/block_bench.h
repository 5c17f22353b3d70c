#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/fpgpt/array.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/sizing.h"
#include "tests/support/special_values.h"

namespace weft::test {

// Returns a plan whose alpha is large enough for `beta`; in timing mode by default.
inline fpgpt::Plan plan_of(const fpgpt::Alpha& alpha, const conv::Convolution& beta, bool with_data = false) {
  fpgpt::Alpha fitted = fpgpt::fitted(alpha, beta);
  fitted.z = std::max(alpha.z, fitted.z);
  return fpgpt::make_plan(fitted, beta, with_data);
}

// Example of section 12 of the contract, launched in section 14: 4x4 IFM, one 3x3 kernel, OUT 2x2; there X = 4, Y = 1.
inline conv::Convolution contract_example() {
  conv::Convolution c;
  c.h = c.w = {4, 3, 2, 1, 0, 1, 1};
  c.inp = {0, 16, 16, 16};
  c.out = {0, 0, 4, 4};
  return c;
}

// Example of section 8: F, X = Y = 2, one channel, 3x3 kernel, OUT 1x6: M = 9, S = 3, K = B = 1. 27 columns, 29 rows.
inline conv::Convolution array_example() {
  conv::Convolution c;
  c.n_kern = 2;
  c.h = {3, 3, 1, 1, 0, 1, 1};
  c.w = {8, 3, 6, 1, 0, 1, 1};
  c.inp = {0, 24, 24, 24};
  c.out = {0, 0, 12, 6};
  return c;
}

// Convolution of one row and channel: `kernels` of w.kern words over `images` of w.inp words.
inline conv::Convolution one_row(const conv::Axis& w, std::int64_t kernels = 1, conv::Kind kind = conv::Kind::F,
                                 std::int64_t images = 1) {
  conv::Convolution c;
  c.kind = kind;
  c.n_kern = kernels;
  c.n_inp = images;
  c.w = w;
  c.inp = {0, w.inp, w.inp, w.inp};
  c.out = {0, 0, w.out * c.c_out(), w.out};
  return c;
}

inline fpgpt::Alpha array_of(int x, int y, const fpgpt::Profile& profile) {
  fpgpt::Alpha alpha;
  alpha.x = x;
  alpha.y = y;
  alpha.profile = profile;
  return alpha;
}

// Kernel of section 12.
inline fpgpt::Alpha example_alpha(const fpgpt::Profile& profile) {
  fpgpt::Alpha alpha = array_of(4, 1, profile);
  alpha.z = 6;
  return alpha;
}

// Observation of one cycle of a bench.
struct Seen {
  Activity activity;
  bool took, gave;
};

// Pushes tokens that are visible from cycle 0 on.
inline void fill(Fifo& fifo, int tokens) {
  for (int i = 0; i < tokens; ++i) fifo.push(-2);
}

// Drives one block between an input and an output FIFO. Tokens arrive from the cycles in `arrivals` on (pushed in that
// cycle, so visible one later); the output is drained every cycle from `drain_from` on.
struct BlockBench {
  explicit BlockBench(int tokens, int room = 1000, Cycles from = 0) : out(room, 1, false), drain_from(from) {
    fill(in, tokens);
  }

  Fifo in{1000, 1, false};
  Fifo out;
  std::map<Cycles, int> arrivals;
  Cycles drain_from;

  template <class Block, class Of>
  std::vector<Seen> run(Cycles cycles, Block& block, const Of& of) {
    std::vector<Seen> seen;
    for (Cycles now = 0; now < cycles; ++now) {
      const auto popped = in.popped(), pushed = out.pushed();
      const Activity activity = block.step(now, of, in, out);
      seen.push_back({activity, in.popped() != popped, out.pushed() != pushed});
      if (arrivals.count(now)) in.push(now);
      if (now >= drain_from && out.can_pop(now)) out.pop(now);
    }
    return seen;
  }
};

// Runs a block of `plan` with `tokens` in its input and room for its whole output.
template <class Block>
std::vector<Seen> run_block(const fpgpt::Plan& plan, int tokens, Cycles cycles) {
  Block block(plan);
  return BlockBench(tokens).run(cycles, block, plan);
}

// An array without its neighbours. Records the cycles in which it takes columns and rows and gives rows of results.
struct ArrayBench {
  fpgpt::Plan plan;
  fpgpt::Array array;
  Fifo inp{1000, 2, false}, kern{1000, 2, false}, out{1000, 2, false};
  std::vector<Cycles> inp_taken, kern_taken, given;
  std::vector<Activity> activity;

  explicit ArrayBench(const fpgpt::Plan& array_plan) : plan(array_plan), array(plan) {}
  void supply(int columns, int rows) {
    fill(inp, columns);
    fill(kern, rows);
  }
  void run(Cycles from, Cycles to) {
    for (Cycles now = from; now < to; ++now) {
      const auto i = inp.popped(), k = kern.popped(), o = out.pushed();
      activity.push_back(array.step(now, plan, inp, kern, out));
      if (inp.popped() != i) inp_taken.push_back(now);
      if (kern.popped() != k) kern_taken.push_back(now);
      if (out.pushed() != o) given.push_back(now);
    }
  }
};

// Pushes a token that is visible from cycle 0 on.
inline void push_floats(Fifo& fifo, const std::vector<float>& words) {
  std::transform(words.begin(), words.end(), fifo.push(-2), float_word);
}

// Pushes `lanes` consecutive numbers that begin with `first`.
inline void push_counting(Fifo& fifo, int first, int lanes) {
  std::vector<float> words(static_cast<std::size_t>(lanes));
  std::iota(words.begin(), words.end(), static_cast<float>(first));
  push_floats(fifo, words);
}
// Pushes beats of 16 consecutive numbers: 0 to 15, 16 to 31, ...
inline void push_counting(Fifo& fifo, int beats) {
  for (int beat = 0; beat < beats; ++beat) push_counting(fifo, beat * 16, 16);
}

inline std::vector<Cycles> cycles_of(const std::vector<Seen>& seen, bool Seen::*what) {
  std::vector<Cycles> cycles;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].*what) cycles.push_back(static_cast<Cycles>(i));
  }
  return cycles;
}
inline std::vector<Cycles> gives(const std::vector<Seen>& seen) {
  return cycles_of(seen, &Seen::gave);
}
inline std::vector<Cycles> takes(const std::vector<Seen>& seen) {
  return cycles_of(seen, &Seen::took);
}

// Returns first, first + 1, ...: `count` cycles.
inline std::vector<Cycles> consecutive(Cycles first, std::int64_t count) {
  std::vector<Cycles> cycles(static_cast<std::size_t>(count));
  std::iota(cycles.begin(), cycles.end(), first);
  return cycles;
}

}  // namespace weft::test
