#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/fpgpt/dse/problem.h"

namespace weft::fpgpt::dse {

// One kernel for one convolution.
struct Design {
  Alpha alpha;
  Cycles cycles = 0;
  Block limiter = Block::InpReader;
  std::int64_t dsp = 0, bram18 = 0, uram = 0;
};

// Fewer cycles; of as many the one with fewer DSPs, then fewer memory blocks, then the smaller X, then the smaller Z.
bool better(const Design& a, const Design& b);

// What Eq. 5.23 finds for one convolution.
struct Optimum {
  std::int64_t arrays = 0;      // (X, Y) of the space
  std::int64_t within_dsp = 0;  // those whose DSPs are there
  std::int64_t fitting = 0;     // those that also have a Z with which the memories fit
  std::vector<Design> best;     // of the arrays that fit, one design an array, best first
  // If none fits: the array within the DSPs that asks for the fewest memory blocks.
  std::optional<Design> smallest;
};

// Eq. 5.23 by brute force: every array of the space, every Z, the other sizes as small as the convolution allows. They
// are not searched: no equation gets shorter, and no memory smaller, when Z_channel, K_range or the words of KERN or
// OUT grow. Keeps the `keep` best arrays (at least 1). `shape` is an index into problem.shapes, `windows` those of it.
Optimum optimum(const Problem& problem, std::size_t shape, const Windows& windows, std::size_t keep);

}  // namespace weft::fpgpt::dse
