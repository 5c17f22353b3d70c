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
  Cycles cycles = 0;  // of all launches of the convolution
  Block limiter = Block::InpReader;
  std::int64_t dsp = 0, bram18 = 0, uram = 0;
  std::int64_t parts = 1;  // launches
};

// True if `a` has fewer cycles; ties: fewer parts, then fewer DSPs, then fewer memory blocks, then the smaller X, then
// the smaller Z.
bool better(const Design& a, const Design& b);

// Result of Eq. 5.23 for one convolution.
struct Optimum {
  std::int64_t arrays = 0;      // (X, Y) of the space
  std::int64_t within_dsp = 0;  // those within the DSPs
  std::int64_t fitting = 0;     // those that also have a Z with which the memories fit
  std::vector<Design> best;     // one design per array that fits, best first
  // If none fits: the array within the DSPs that needs the fewest memory blocks.
  std::optional<Design> smallest;
};

// Solves Eq. 5.23 by brute force: every array of the space, every Z, other sizes as small as the convolution allows.
// These need no search: no equation gets shorter, and no memory smaller, when Z_channel, K_range or the words of KERN
// or OUT grow. Keeps the `keep` best arrays (at least 1). `shape`: index into problem.shapes; `windows`: its windows.
Optimum optimum(const Problem& problem, std::size_t shape, const Windows& windows, std::size_t keep);

struct SetCover {
  std::vector<std::size_t> columns;  // sorted
  std::int64_t at_least = 0;         // proved lower bound of the columns; columns.size() if the cover is proved
  bool proved() const { return at_least == static_cast<std::int64_t>(columns.size()); }
};

// Returns a cover of the rows 0 .. rows-1 by the fewest `columns` (each a sorted list of rows). First come reductions
// that keep an optimum: a column within another, a row whose columns all cover another row, a row with one column. Z3
// proves the rest, component by component. Each query may take `effort` Z3 steps (default: some seconds), which does
// not depend on the machine's speed; beyond it the cover is the best found and `at_least` the largest proved bound.
// Throws Error for a row that no column covers.
SetCover minimum_set_cover(std::size_t rows, const std::vector<std::vector<std::size_t>>& columns,
                           unsigned effort = 10'000'000);

// Largest slowdown of a convolution against its own optimal kernel (Eq. 5.24), exact: in thousandths of a percent. The
// limit itself is allowed: with "<" (section 5.4.2) a penalty of zero would allow no sharing.
struct PenaltyLimit {
  std::int64_t milli_percent = 0;

  // Most cycles that a convolution of `optimal` cycles may take.
  Cycles most_cycles(Cycles optimal) const;
  bool operator<(const PenaltyLimit& other) const { return milli_percent < other.milli_percent; }
};

// Readings of Algorithms 1 and 2 (F26). The first of each is the default.
enum class MergeReading : std::uint8_t {
  Refitted,  // the larger X and the larger Y; the dependent parameters fitted to all members for that array
  Printed    // Algorithm 2 to the letter: the largest of every parameter in the members' own optima
};
enum class StopReading : std::uint8_t {
  Exhausted,  // the text: stops when no group can give anything to another
  Printed     // Algorithm 1 to the letter: stops as soon as the group whose turn it is cannot
};

struct SharingReadings {
  MergeReading merge = MergeReading::Refitted;
  StopReading stop = StopReading::Exhausted;
};

// A convolution of the network: its shape, and the number of its launches one after the other (groups of a layer).
struct Item {
  std::size_t shape = 0;
  std::int64_t launches = 1;
};

// A kernel and the convolutions (indices into the items) that run on it.
struct SharedKernel {
  Alpha alpha;
  std::vector<std::size_t> items;
  Cycles cycles = 0;         // of all its convolutions
  double worst_penalty = 0;  // largest of Eq. 5.24
};

// Input of sharing, borrowed. `optimal` and `windows` are by shape; every shape must have an optimum.
struct SharingInput {
  const Problem& problem;
  const std::vector<Windows>& windows;
  const std::vector<Design>& optimal;
  const std::vector<Item>& items;
};

// Returns the cycles of one convolution of the shape on the kernel, by the equations.
Cycles cycles_on(const SharingInput& input, const Alpha& alpha, std::size_t shape);

// Returns the kernel with its items (at least one), their cycles and their worst penalty.
SharedKernel shared_kernel(const SharingInput& input, const Alpha& alpha, std::vector<std::size_t> items);

// Returns the kernel that Algorithm 2 makes for these items, whether or not it fits or keeps the penalty; nothing if a
// member cannot run on it (only with MergeReading::Printed).
std::optional<SharedKernel> merged_kernel(const SharingInput& input, const std::vector<std::size_t>& items,
                                          MergeReading reading);

// Algorithm 2: moves the items that can join `group` into it, in order; the rest stays in `from`. True if any moved.
bool merge(const SharingInput& input, SharedKernel& group, std::vector<std::size_t>& from, PenaltyLimit limit,
           MergeReading reading);

// Algorithm 1: returns groups of convolutions that share a kernel within the penalty. The first giver is the slowest
// convolution, then always the smallest group. A giver moves all that it can to the group with the lowest resulting
// penalty; ties go to fewer cycles, then to the earlier group. With StopReading::Exhausted the next group tries if a
// group can give nothing. Groups give only to groups at least as large, so the algorithm ends: the sum of the squares
// of the groups' sizes grows with every step.
std::vector<SharedKernel> share(const SharingInput& input, PenaltyLimit limit, const SharingReadings& readings);

}  // namespace weft::fpgpt::dse
