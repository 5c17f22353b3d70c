#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/fpgpt/dse/optimum.h"
#include "model/fpgpt/dse/served.h"
#include "model/fpgpt/dse/sharing.h"
#include "platform/designs/fpgpt/dse/dse_config.h"
#include "platform/dse/explorer.h"
#include "workloads/network.h"

namespace weft::fpgpt::exploration {

using weft::dse::Progress;

// One training convolution of the network.
struct Convolution {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  std::size_t shape = 0;      // equal convolutions are explored once
  std::int64_t launches = 1;  // one per group of the layer
  std::int64_t macs = 0;      // useful multiply-accumulates, all groups
};

// The network on shared kernels. `items` of the kernels are indices into Exploration::sharing.
struct SharedKernels {
  std::vector<fpgpt::dse::SharedKernel> kernels;
  Cycles cycles = 0;  // of one iteration
  std::int64_t at_least = 0;
};
struct Sharing {
  fpgpt::dse::PenaltyLimit limit;
  SharedKernels heuristic;               // Algorithms 1 and 2
  std::optional<SharedKernels> minimum;  // the fewest kernels there can be; at_least says what is proved
};

// The optimal kernels with one alternative of a reading.
struct ReadingCycles {
  std::string_view name;
  Cycles cycles = 0;  // of one iteration, without what does not fit
  std::int64_t misfits = 0;
};

// One of the best kernels of a convolution, simulated. Ranks count from 0.
struct RankedDesign {
  fpgpt::dse::Design design;  // by the equations, with the batch of the exploration
  Cycles equations = 0;       // with the batch of the rerank
  Cycles simulated = 0;
  std::size_t rank = 0, simulated_rank = 0;
};
struct Rerank {
  std::size_t convolution = 0;        // the first of its shape
  std::vector<RankedDesign> designs;  // by simulated rank
};

struct Exploration {
  DseConfig config;
  std::string network;
  std::vector<Convolution> convolutions;
  std::vector<fpgpt::dse::Optimum> optima;  // by shape
  std::vector<std::size_t> sharing_items;   // the convolutions that have a kernel that fits: those that share
  std::vector<Sharing> sharing;             // by penalty
  std::vector<ReadingCycles> readings;
  std::vector<Rerank> reranks;

  const fpgpt::dse::Optimum& optimum(const Convolution& c) const { return optima[c.shape]; }
  // One iteration with an optimal kernel for each convolution that has one.
  Cycles optimal_cycles() const;
  std::int64_t misfits() const;
};

// The convolutions of the exploration; `shapes` takes the distinct ones, in their order.
std::vector<Convolution> convolutions_of(const DseConfig& config, const workloads::Network& network,
                                         std::vector<conv::Convolution>& shapes);

std::string name_of(const Convolution& convolution);  // "inception3a.branch1.conv:F"

// Does all that `config` asks for. The result does not depend on the number of workers. Throws Error if no convolution
// has a kernel that fits, and what simulating throws.
Exploration explore(const DseConfig& config, const workloads::Network& network,
                    const weft::dse::SimulatedCycles& simulate, const Progress& progress);

// Throws Error if the rerank chooses no convolution. `exploration` needs no optima for that.
void require_reranked(const Exploration& exploration);

// The convolutions to simulate, by their place: of those that the rerank chooses, the first of each shape that has a
// kernel. Throws Error if none has.
std::vector<std::size_t> reranked(const Exploration& exploration);

// Simulates the best kernels of these convolutions. `exploration` has its optima.
std::vector<Rerank> rerank(const Exploration& exploration, const std::vector<std::size_t>& convolutions,
                           const weft::dse::SimulatedCycles& simulate, const Progress& progress);

}  // namespace weft::fpgpt::exploration
