#pragma once

#include <cstdint>
#include <vector>

#include "model/barista/analytical/equations.h"
#include "model/barista/plan.h"
#include "platform/design/rows_work.h"
#include "platform/designs/barista/kernel_config.h"

namespace weft::barista {

// Launch cycles (CONTRACT.md, section 8).
inline constexpr Cycles kParamsSent = 1, kAfterParams = 3, kDoneCycles = 1;

// A planned row of a run, before simulation: a convolution of a layer as the GEMM of each image and group.
struct RowWork : design::ChosenRow {
  Gemm gemm;               // of one image and group
  std::int64_t count = 1;  // images times groups; groups innermost
  EquationTerms terms;     // of one GEMM
};

std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network, const Alpha& alpha,
                               const Readings& readings);

struct Placement : design::PlacedTensors<kPorts> {
  using PlacedTensors::PlacedTensors;
  Bases bases;
  Address params = 0;  // in the channel of port a
};

// Throws Error if a channel is too small.
Placement placement_of(const config::RunConfig& run, const Alpha& alpha, const Gemm& gemm);

// The launch cycle in which the params are visible (BLC-2): their read is the memory's first.
Cycles params_visible(const config::RunConfig& run, const Placement& placement);

// Random A and B of `seed`: the host's matrices, and the channels that hold them as tiles.
struct Contents {
  std::vector<float> a, b;
  std::vector<memory::Store> channels;
};
Contents contents_of(const Alpha& alpha, const Gemm& gemm, const Placement& placement, std::uint64_t seed);

}  // namespace weft::barista
