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

struct SetCover {
  std::vector<std::size_t> columns;  // sorted
  std::int64_t at_least = 0;         // no cover has fewer columns; columns.size() if that is proved
  bool proved() const { return at_least == static_cast<std::int64_t>(columns.size()); }
};

// A cover of the rows 0 .. rows-1 by the fewest `columns` (each a sorted list of rows). Reductions that keep an optimum
// come first: a column within another, a row whose columns all cover another row, a row with one column. What is left
// is proved by Z3, component by component. Each of its questions may take `effort` of its own steps, some seconds
// unless given, which does not depend on the machine's speed; beyond it the cover is the best found and `at_least` the
// largest number that is proved. Throws Error for a row that no column covers.
SetCover minimum_set_cover(std::size_t rows, const std::vector<std::vector<std::size_t>>& columns,
                           unsigned effort = 10'000'000);

// How much longer than on its own optimal kernel each convolution may take (Eq. 5.24), exactly: in thousandths of a
// percent. The limit itself is allowed: read as "<" (section 5.4.2) a penalty of zero would let nothing share.
struct PenaltyLimit {
  std::int64_t milli_percent = 0;

  // The most cycles a convolution of `optimal` cycles may take.
  Cycles most_cycles(Cycles optimal) const;
};

// How Algorithms 1 and 2 are read (F26). The first of each is the default.
enum class MergeReading : std::uint8_t {
  Refitted,  // the larger X and the larger Y; the dependent parameters fitted to all members for that array
  Printed    // Algorithm 2 to the letter: the larger of every parameter as the members' own optima have it
};
enum class StopReading : std::uint8_t {
  Exhausted,  // the text: until no group can give anything to another
  Printed     // Algorithm 1 to the letter: as soon as the group whose turn it is cannot
};

struct SharingReadings {
  MergeReading merge = MergeReading::Refitted;
  StopReading stop = StopReading::Exhausted;
};

// A convolution of the network: its shape, and how often it is launched one after the other (groups of a layer).
struct Item {
  std::size_t shape = 0;
  std::int64_t launches = 1;
};

// A kernel and the convolutions (indices into the items) that run on it.
struct SharedKernel {
  Alpha alpha;
  std::vector<std::size_t> items;
  Cycles cycles = 0;         // of all its convolutions
  double worst_penalty = 0;  // Eq. 5.24, the largest
};

// What sharing works on. Borrowed. `optimal` and `windows` are by shape; every shape must have an optimum.
struct SharingInput {
  const Problem& problem;
  const std::vector<Windows>& windows;
  const std::vector<Design>& optimal;
  const std::vector<Item>& items;
};

// What one convolution of the shape takes on the kernel, by the equations.
Cycles cycles_on(const SharingInput& input, const Alpha& alpha, std::size_t shape);

// What the items (at least one) take on the kernel.
SharedKernel shared_kernel(const SharingInput& input, const Alpha& alpha, std::vector<std::size_t> items);

// The kernel that Algorithm 2 makes for these items, whether or not it fits or keeps the penalty; nothing if a member
// could not run on it at all (only with MergeReading::Printed).
std::optional<SharedKernel> merged_kernel(const SharingInput& input, const std::vector<std::size_t>& items,
                                          MergeReading reading);

// Algorithm 2: takes into `group` what can join it, in order; the rest stays in `from`. Whether anything moved.
bool merge(const SharingInput& input, SharedKernel& group, std::vector<std::size_t>& from, PenaltyLimit limit,
           MergeReading reading);

// Algorithm 1: groups of convolutions that share a kernel within the penalty. It first takes the slowest convolution,
// then always the smallest group, and gives what it can of it to the group that comes out with the lowest penalty, ties
// to the fewer cycles, then to the earlier group. With StopReading::Exhausted a group that can give nothing lets the
// next one try; it gives only to groups at least as large, which is what makes it end: the sum of the squares of the
// groups' sizes grows with every step.
std::vector<SharedKernel> share(const SharingInput& input, PenaltyLimit limit, const SharingReadings& readings);

}  // namespace weft::fpgpt::dse
