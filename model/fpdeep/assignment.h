#pragma once

#include <cstdint>
#include <vector>

#include "model/core/units.h"
#include "model/fpdeep/chain.h"

namespace weft::fpdeep {

// Filters [first, last) of a layer on a board, with the DSPs of each of its passes.
struct Part {
  std::size_t layer = 0;
  int first = 0, last = 0;
  std::int64_t dsp = 0;       // of one pass; each has as many
  Cycles cycles_a_pixel = 0;  // weights of the part over the DSPs, rounded up
  Cycles cycles = 0;          // an image

  int filters() const { return last - first; }
};

struct BoardWork {
  std::vector<Part> parts;
  std::int64_t dsp = 0;  // of all passes of all parts
  Cycles cycles = 0;     // an image: its slowest part, for they all run at once
};

// The chain over whole filters and whole DSPs: each cut of even_cuts() at the nearest filter, then on each board the
// DSPs that give the fewest cycles. A board has at least one filter. Throws Error that names the board where the DSPs
// do not give each pass of its parts one, or the network if it has fewer filters than there are boards.
std::vector<BoardWork> assign(const Chain& chain, int boards, std::int64_t dsp);

// Mean over maximum of the cycles an image: 1 if all boards end together.
double balance(const std::vector<BoardWork>& boards);
Cycles period(const std::vector<BoardWork>& boards);  // cycles an image of the array

}  // namespace weft::fpdeep
