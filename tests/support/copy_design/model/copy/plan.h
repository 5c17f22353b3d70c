#pragma once

#include "model/copy/alpha.h"
#include "model/core/units.h"
#include "model/stream/range_loop.h"
#include "model/stream/write_loop.h"

namespace weft::copy {

// beta: the run-time parameters of a launch (CONTRACT.md, section 2).
struct Beta {
  Address in = 0, out = 0;  // bytes in the memory channel of the port, multiples of 4096
  Words words = 1;
};
inline constexpr Words kMostWords = Words{1} << 31;

// Work of the blocks of a kernel during one launch.
struct Plan {
  Alpha alpha;
  stream::RangeLoop in;
  stream::WriteLoop out;
  bool with_data = false;
};

// Throws Error if beta breaks a rule of the contract.
Plan make_plan(const Alpha& alpha, const Beta& beta, bool with_data);

}  // namespace weft::copy
