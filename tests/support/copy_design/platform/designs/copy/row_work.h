#pragma once

#include <cstdint>
#include <vector>

#include "model/copy/analytical/equations.h"
#include "platform/design/rows_work.h"
#include "platform/designs/copy/kernel_config.h"

namespace weft::copy {

// Launch cycles (CONTRACT.md, section 7), and register writes of a host: five of beta, and the start.
inline constexpr Cycles kToStart = 2, kToDone = 1;
inline constexpr std::int64_t kRegisterWrites = 6;

// A planned row of a run, before simulation: the input tensor of a convolution of a layer.
struct RowWork : design::ChosenRow {
  Words words = 1;
  EquationTerms terms;
};

// Throws Error for a tensor that is too large.
std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network, const Alpha& alpha);

struct Placement : design::PlacedTensors<kPorts> {
  using PlacedTensors::PlacedTensors;
  Beta beta;
};

// Throws Error if a channel is too small.
Placement placement_of(const config::RunConfig& run, Words words);

// Returns the memory channels, with random words of `seed` in the tensor.
std::vector<memory::Store> contents_of(const Placement& placement, std::uint64_t seed);

}  // namespace weft::copy
