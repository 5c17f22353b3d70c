#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/fpgpt/dse/sharing.h"

namespace weft::fpgpt::dse {

// A kernel within the budget, and the shapes (sorted) that it runs within their penalty.
struct Server {
  Alpha alpha;
  std::vector<std::size_t> shapes;
};

// Returns kernels of `x` columns such that every kernel of `x` columns within the budget serves a subset of the shapes
// of one of them; no two serve the same shapes, none a subset of another's. Over all x up to Problem::widest() they
// suffice for any set cover by kernels. Considered: Y up to Problem::tallest(), Z from 1 to BAND or the need of some
// shape (with ZChoice::Fitted only the latter), any Z_channel, K_range, KERN and OUT.
//
// Z_channel, K_range and the words of KERN and OUT are tried only at the needs of some shape: cycles and blocks never
// fall when they grow, so any kernel can shrink to the largest needs of its shapes. With Problem::split a shape runs in
// the fewest parts with which it alone fits the array and Z: kernels on which it would take more parts are not
// considered. Throws Error for reading::KRange::Group, where cycles also grow with the words of KERN.
std::vector<Server> servers(const SharingInput& input, int x, PenaltyLimit limit);

// Returns the servers whose shapes no other serves all of; of equal ones the first. Sorted by shapes, longest first.
std::vector<Server> undominated(std::vector<Server> all);

// The fewest of `servers` that together serve every shape, proved. Each item runs on the server on which it takes the
// fewest cycles (the first of equals); sizes are shrunk to the needs of the items.
struct FewestKernels {
  std::vector<SharedKernel> kernels;
  std::int64_t at_least = 0;  // proved lower bound of the number of kernels; kernels.size() if it is the minimum
};
FewestKernels fewest_kernels(const SharingInput& input, const std::vector<Server>& servers);

}  // namespace weft::fpgpt::dse
