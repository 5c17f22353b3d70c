#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/barista/dse/search.h"
#include "platform/designs/barista/dse/dse_config.h"
#include "platform/dse/explorer.h"
#include "workloads/network.h"

namespace weft::barista::exploration {

inline constexpr std::int64_t kBlockBits = std::int64_t{18} * 1024;  // of a BRAM18

// One training convolution of the network.
struct Convolution {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  std::size_t gemm = 0;       // equal ones are tried once
  std::int64_t launches = 1;  // images and groups
  std::int64_t macs = 0;      // of all launches
  EquationTerms best;         // of a launch, on the best tile; where there is one
};

struct LayerTile {
  std::string layer;
  std::optional<Published> published;
  dse::Optimum optimum;
};

struct Exploration {
  DseConfig config;
  std::string network;
  std::vector<Gemm> gemms;  // distinct
  std::vector<Convolution> convolutions;
  std::int64_t tiles = 0, fitting = 0;
  std::vector<dse::Optimum> by_gemm;
  std::vector<LayerTile> layers;  // each with one tile for its convolutions
  // One tile for all convolutions: the least time, and the highest mean over the layers of GOPS, as the thesis
  // averages.
  dse::Optimum least_time, highest_mean;
  std::optional<Published> published;  // of the network

  const dse::Found& best(const Convolution& c) const { return *by_gemm[c.gemm].best; }
  Cycles optimal_cycles() const;   // of an iteration, each convolution on its own tile: Eq. 4.6
  double optimal_seconds() const;  // likewise, by the objective
};

// What is known before anything is tried: convolutions, GEMMs, layers, what is published. Throws Error if a published
// layer is none of the network.
Exploration begun(const DseConfig& config, const workloads::Network& network);

// The result does not depend on the number of workers. Throws Error likewise, and if no tile of the space
// fits.
Exploration explore(const DseConfig& config, const workloads::Network& network, const weft::dse::Progress& progress);

}  // namespace weft::barista::exploration
