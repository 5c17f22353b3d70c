#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/barista/analytical/equations.h"
#include "model/core/range.h"

namespace weft::barista::dse {

struct Tile {
  int r = 1, c = 1, p = 1;
};
inline bool operator==(const Tile& a, const Tile& b) {
  return a.r == b.r && a.c == b.c && a.p == b.p;
}

// What a tile is chosen for (Eq. 4.12).
enum class Objective : std::uint8_t {
  Overall,  // Latency_PCIe + Latency_Compute, as the equation is printed
  Kernel    // Latency_Compute alone, as the text has it ("maximizes the performance (Eq. 4.6)")
};

// Eq. 4.13. `base`: all of the kernel but its tile.
struct Problem {
  Alpha base;
  Range r, c, p;
  std::int64_t dsp = 0;        // FPGA_DSP
  std::int64_t bram_bits = 0;  // FPGA_BRAM
  int dsp_per_element = 5;
  Bandwidths bandwidths;
  Objective objective = Objective::Overall;

  Alpha alpha(const Tile& tile) const;
  bool fits(const Tile& tile) const;  // the budget
};

// What one tile is looked for: layers, each with the GEMMs of its convolutions.
struct Target {
  struct Layer {
    double operations = 0;                                    // two a multiply-accumulate
    std::vector<std::pair<std::size_t, std::int64_t>> gemms;  // which, and how many of it
  };
  std::vector<Layer> layers;
  // The best has the highest mean, over the layers, of operations a second; else the least time in all.
  bool mean_rate = false;
  std::optional<Tile> rival;  // what others found: how many do better?
};

struct Found {
  Tile tile;
  double seconds = 0;  // of all layers
  double gops = 0;     // mean over the layers of 1e9 operations a second
  std::int64_t dsp = 0, bram_bits = 0;
};
struct Optimum {
  std::optional<Found> best;  // nothing fits
  std::optional<Found> rival;
  std::int64_t better_than_rival = 0;  // tiles of the space that fit
};

struct Searched {
  std::int64_t tiles = 0, fitting = 0;  // of the space; within the budget
  std::vector<Optimum> optima;          // by target
};

// Tries every tile of the space whose number of rows is the i-th of `problem.r`. Of equal ones the fewest DSPs win,
// then the fewest bits, then the smallest r, c and p.
Searched search_rows(const Problem& problem, const std::vector<Gemm>& gemms, const std::vector<Target>& targets,
                     std::int64_t i);
// Both parts of a space: the same whatever the order of the parts.
void merge(const std::vector<Target>& targets, Searched& into, const Searched& part);

}  // namespace weft::barista::dse
