#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/batchlane/analytical/equations.h"
#include "model/batchlane/plan.h"
#include "model/batchlane/topology.h"
#include "platform/design/rows_work.h"

namespace weft::batchlane {

using Masks = std::map<std::string, sparse::Mask>;

// One row of a run before it is simulated: a convolution of a layer, a pass for each `lanes` images of the batch.
struct RowWork : design::ChosenRow {
  std::uint64_t mask = 0;   // its digest
  std::vector<int> images;  // of each pass
  std::int64_t kept = 0;    // kernels
  Bytes csb_bytes = 0, result_bytes = 0;
  EquationTerms terms;  // of one pass
  BramUse bram;
};

std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network, const Alpha& alpha,
                               const Readings& readings, Masks& masks);

struct Placement : design::PlacedTensors<kPorts> {
  using PlacedTensors::PlacedTensors;
  Bases bases;
};

// Throws Error if a channel is too small.
Placement placement_of(const config::RunConfig& run, const Alpha& alpha, const RowWork& row);

// Of a pass in data mode: random values of `seed`, as they lie in memory.
struct Contents {
  std::vector<std::int8_t> streamed, gradients, weights;
  std::vector<memory::Store> channels;
};
Contents contents_of(const Plan& plan, const Placement& placement, std::uint64_t seed);
std::vector<std::int8_t> random_weights(const conv::Layer& layer, std::uint64_t seed);

}  // namespace weft::batchlane
