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

// Kernels of `x` columns such that every kernel of `x` columns within the budget serves a subset of what one of them
// does; no two serve the same shapes, and none a subset of another's. Over all x up to Problem::widest(), any set cover
// by kernels is one by these. The kernels considered: Y up to Problem::tallest(), Z from 1 to BAND or what some shape
// needs (with ZChoice::Fitted only the latter), any Z_channel, K_range, KERN and OUT.
//
// Z_channel, K_range and the words of KERN and OUT need only be tried at what some shape needs: cycles and blocks
// never fall when they grow, so that any kernel shrinks to the largest needs of what it serves. Throws Error for
// reading::KRange::Group, where cycles also grow with the words of KERN.
std::vector<Server> servers(const SharingInput& input, int x, PenaltyLimit limit);

// Of several lists, those that serve what no other does; of equals the first. Sorted by their shapes, longest first.
std::vector<Server> undominated(std::vector<Server> all);

// The fewest of `servers` that together serve every shape, proved; the items they run, each on the server on which it
// takes the fewest cycles (the first of equals), sizes shrunk to what is then needed.
struct FewestKernels {
  std::vector<SharedKernel> kernels;
  std::int64_t at_least = 0;  // no smaller number of kernels can do; kernels.size() if that is proved
};
FewestKernels fewest_kernels(const SharingInput& input, const std::vector<Server>& servers);

}  // namespace weft::fpgpt::dse
