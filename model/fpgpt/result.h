#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model/conv/convolution.h"
#include "model/core/activity.h"
#include "model/fpgpt/array.h"
#include "model/fpgpt/kernel.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/topology.h"
#include "model/memory/memory.h"
#include "model/stream/stepping.h"

namespace weft::fpgpt {

// PE-cycles of each class, in the order of PeClass (CONTRACT.md, "Where the PE-cycles go").
using PeCycles = std::array<std::int64_t, kPeClasses>;
inline constexpr const char* kPeCyclesName = "the PE-cycles of a convolution";  // in errors

// Returns the PE-cycles of a convolution, or of its first cycles, from the array's activity in them. Only advances and
// stalls depend on time: the plan determines what each PE does in an array cycle. Throws checked::Overflow.
PeCycles pe_cycles(const Plan& plan, const Activities& array, const ArrayStarved& starved);

// Returns the PE-cycles of all products of a convolution on an X by Y array, independent of time: useful, zeros, unused
// columns and rows. Throws checked::Overflow.
PeCycles pe_cycles_of_products(int x, int y, const conv::Convolution& beta);

struct ConvolutionResult : stream::KernelResult<kBlocks, kPorts, kPeClasses> {
  ArrayStarved array_starved{};
  std::string limiter;
  Cycles drain_cycles = 0;  // after `cycles`, until the last discarded beat has been taken (LCH-6)
};

// Adds the blocks' activity in their last cycle, `count` times.
inline void account(Kernel& kernel, BlockActivities& activities, Cycles count = 1) {
  const auto last = kernel.last();
  for (std::size_t i = 0; i < kBlocks; ++i) activities[i].add(last[i], count);
  kernel.count(Block::Array, count);
}

// Fills in the values that follow from the counts of the blocks: limiter and PE-cycles.
void derive(ConvolutionResult& result, const Plan& plan);

ConvolutionResult collect(Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory);

}  // namespace weft::fpgpt
