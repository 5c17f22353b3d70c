#pragma once

#include <functional>

#include "platform/iteration/host/profile.h"

// Measurement of the host's time per matrix word that it prepares for a kernel (config::MatrixCosts).
namespace weft::host {

struct ProfiledMatrices {
  struct Step {
    std::int64_t words = 0;        // of one launch per convolution and group, with padding of tiles
    std::int64_t ns = 0;           // total for `words`
    Picoseconds per_word() const;  // rounded to the nearest; words > 0
  };
  TileShape tile;
  std::size_t convolutions = 0;
  Step tiled, untiled, col2im;
};

// Measures the steps of each convolution of `graph` as a host runs them around each launch (design::HostPrepared):
// tiling A and B and clearing C; untiling C, added to the previous sum for GW; col2im of GI, not if is_matrix().
// Convolutions of equal sizes are measured once. `report`: receives the number done. Throws Error with the name of what
// cannot be measured, and if there is no convolution.
ProfiledMatrices profile_matrices(const workloads::Graph& graph, const TileShape& tile, OperatorRunner& runner,
                                  int repeat, const std::function<void(std::size_t)>& report);

// Returns `base` with its matrix costs replaced by the measured ones, no longer marked as assumed. Steps that no
// convolution needed keep their cost. Throws Error if `base` has no matrix costs.
config::Host with_matrices(config::Host base, const ProfiledMatrices& profiled);

}  // namespace weft::host
