#pragma once

#include <functional>

#include "platform/iteration/host/profile.h"

// What a word of a matrix takes on this machine that the host makes for a kernel (config::MatrixCosts).
namespace weft::host {

struct ProfiledMatrices {
  struct Step {
    std::int64_t words = 0;        // of one launch of each convolution and group; padding of tiles counted
    std::int64_t ns = 0;           // of them together
    Picoseconds per_word() const;  // rounded to the nearest; of words above 0
  };
  TileShape tile;
  std::size_t convolutions = 0;
  Step tiled, untiled, col2im;
};

// The steps of each convolution of `graph`, as a host has them that serves each launch (design::HostServed): A and B
// put into tiles and C's zeros; C taken out, and for GW added to what there is; col2im of GI, none where is_matrix().
// Convolutions of equal sizes are measured once. `report` is told how many are done. Throws Error that names what
// cannot be measured, and if there is no convolution.
ProfiledMatrices profile_matrices(const workloads::Graph& graph, const TileShape& tile, OperatorRunner& runner,
                                  int repeat, const std::function<void(std::size_t)>& report);

// `base` with what was measured in place of what it had, which is no assumption any more. What no convolution needed
// stays as it is. Throws Error if `base` has none of that.
config::Host with_matrices(config::Host base, const ProfiledMatrices& profiled);

}  // namespace weft::host
