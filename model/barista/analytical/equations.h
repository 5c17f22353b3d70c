#pragma once

#include <cstdint>

#include "model/barista/plan.h"

namespace weft::barista {

// What the equations take of the surroundings, in bits a second.
struct Bandwidths {
  double memory = 0;
  double pcie = 0;
};

// Eqs. 4.1 to 4.9 of the thesis for one GEMM. P is not padded in what is moved (Eqs. 4.1, 4.7), as they are printed.
struct EquationTerms {
  std::int64_t tile_bits = 0;    // 4.1, of a tile of C with what it is made of
  std::int64_t memory_bits = 0;  // 4.2
  double memory_seconds = 0;     // 4.3
  Cycles tile_cycles = 0;        // 4.4
  Cycles compute_cycles = 0;     // 4.5
  double compute_seconds = 0;    // 4.6, the slower of both
  std::int64_t pcie_bits = 0;    // 4.7
  double pcie_seconds = 0;       // 4.8
  double overall_seconds = 0;    // 4.9
  Cycles cycles = 0;             // 4.6 in cycles of the kernel, rounded up
  bool memory_bound = false;
};
EquationTerms equations(const Alpha& alpha, const Gemm& gemm, const Bandwidths& bandwidths);

// Eq. 4.10. `dsp_per_element` is V: 9 in the text; 5 is what the published designs take.
std::int64_t dsp_use(const Alpha& alpha, int dsp_per_element);
// Eq. 4.11, in bits; as the thesis says, a design can need more, for blocks are filled in part (4.3.2).
struct BramBits {
  std::int64_t a = 0, b = 0;  // of a tile
  std::int64_t c = 0;         // of the partial sums
};
BramBits bram_bits_of(const Alpha& alpha);
std::int64_t bram_bits(const Alpha& alpha);  // all
// Blocks of 18 Kb that hold so many bits.
std::int64_t bram18_of(std::int64_t bits);

}  // namespace weft::barista
