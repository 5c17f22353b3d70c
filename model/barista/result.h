#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model/barista/kernel.h"
#include "model/memory/memory.h"

namespace weft::barista {

using PeCycles = std::array<std::int64_t, kPeClasses>;

// What one GEMM took, on any rung that steps blocks.
struct GemmResult {
  Cycles cycles = 0;  // from cycle 0 to the one that takes the last write response, inclusive
  BlockActivities activities;
  std::string limiter;
  PeCycles pe_cycles{};  // they sum to Tr * Tc * cycles
  std::array<memory::PortStats, kPorts> ports;
  Cycles skipped_cycles = 0;  // cycles in which nothing could change, accounted for without stepping blocks
};

// Adds what the blocks did in their last cycle, `count` times.
inline void account(Kernel& kernel, BlockActivities& activities, Cycles count = 1) {
  const auto last = kernel.last();
  for (std::size_t i = 0; i < kBlocks; ++i) activities[i].add(last[i], count);
  kernel.count(Block::Mesh, count);
}

// Of the products alone, without the classes that a simulation counts (CONTRACT.md, "Where the PE-cycles go").
PeCycles pe_cycles_of_products(const Alpha& alpha, const Gemm& gemm);

GemmResult collect(const Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory);

}  // namespace weft::barista
