#pragma once

#include <array>
#include <cstdint>

#include "model/batchlane/kernel.h"
#include "model/memory/memory.h"

namespace weft::batchlane {

using PeCycles = std::array<std::int64_t, kPeClasses>;

// What one pass took, on any rung that steps blocks.
struct PassResult {
  Cycles cycles = 0;  // from cycle 0 to the one that takes the last write response, inclusive
  BlockActivities activities;
  PeCycles pe_cycles{};  // they sum to the MACs times the cycles
  std::array<memory::PortStats, kPorts> ports;
  Cycles skipped_cycles = 0;
  std::int64_t overflows = 0;
};

// Adds what the blocks did in their last cycle, `count` times.
inline void account(Kernel& kernel, BlockActivities& activities, Cycles count = 1) {
  const auto last = kernel.last();
  for (std::size_t i = 0; i < kBlocks; ++i) activities[i].add(last[i], count);
  kernel.count(Block::Array, count);
}

// `images` of the batch in the pass.
PassResult collect(const Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory);

// Of the MACs that kernels take: useful, of unused lanes, and of PEs without a pixel.
PeCycles pe_cycles_of_kernels(const Plan& plan);

}  // namespace weft::batchlane
