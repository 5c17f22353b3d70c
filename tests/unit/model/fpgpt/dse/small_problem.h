#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "model/fpgpt/dse/served.h"
#include "model/fpgpt/dse/sharing.h"

namespace weft::fpgpt::dse::test {

// F of a 1x1 convolution over a map of one row of `outputs`, one image. With few kernels Gamma_Total is INP_DDR, which
// is 48 * channels * ceil(outputs / X) * ceil(filters / Y): a window of up to 768 words is read as 48 beats (A.1-A.3).
conv::Convolution pointwise(int outputs, int filters, int channels);

// A problem with all that sharing works on. Every shape is one item.
struct Case {
  Problem problem;
  std::vector<Windows> windows;
  std::vector<Design> optimal;
  std::vector<Item> items;

  // Windows, optima and items of problem.shapes; false if a shape has no kernel.
  bool prepare();
  SharingInput input() const { return {problem, windows, optimal, items}; }
};

// The shapes on at most `pes` PEs, with more memory than they can use.
Case roomy(const std::vector<conv::Convolution>& shapes, int pes);

// A few random small shapes of all kinds, a budget that not everything fits, other readings: the same for a seed.
Case random_case(std::uint64_t seed);

}  // namespace weft::fpgpt::dse::test
