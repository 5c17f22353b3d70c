#pragma once

#include <cstdint>

#include "model/barista/plan.h"

namespace weft::barista {

// Bandwidths that the equations use, in bits per second.
struct Bandwidths {
  double memory = 0;
  double pcie = 0;
};

// Eqs. 4.1 to 4.9 of the thesis for one GEMM. As printed, Eqs. 4.1 and 4.7 do not pad P.
struct EquationTerms {
  std::int64_t tile_bits = 0;    // 4.1: a tile of C and its operands
  std::int64_t memory_bits = 0;  // 4.2
  double memory_seconds = 0;     // 4.3
  Cycles tile_cycles = 0;        // 4.4: of an output tile
  Cycles compute_cycles = 0;     // 4.5
  double compute_seconds = 0;    // 4.6, the slower of both
  std::int64_t pcie_bits = 0;    // 4.7
  double pcie_seconds = 0;       // 4.8
  double overall_seconds = 0;    // 4.9
  Cycles cycles = 0;             // 4.6 in kernel cycles, rounded up
  bool memory_bound = false;
};
inline constexpr int kWordBits = 32;  // WL of Eq. 4.7, and of all equations unless they are given another
// `word_bits`: WL of Eqs. 4.1 and 4.2.
EquationTerms equations(const Alpha& alpha, const Gemm& gemm, const Bandwidths& bandwidths, int word_bits = kWordBits);

// Eq. 4.10. `dsp_per_element` is V: of FP32 9 in the text, 5 in the published designs; of fixed point 3.
std::int64_t dsp_use(const Alpha& alpha, int dsp_per_element);
// Eq. 4.11, in bits. A design can need more, because BRAM blocks may be filled only in part (4.3.2).
struct BramBits {
  std::int64_t a = 0, b = 0;  // of one tile
  std::int64_t c = 0;         // of the partial sums
};
BramBits bram_bits_of(const Alpha& alpha, int word_bits = kWordBits);
std::int64_t bram_bits(const Alpha& alpha, int word_bits = kWordBits);  // the sum of all
// 18 Kb BRAM blocks of words of at most 36 bits if each memory that is used in one cycle has blocks of its own: the
// rows of A and columns of B in both halves of their double buffers, and the partial sums of each element.
std::int64_t bram18_of_banks(const Alpha& alpha, int word_bits = kWordBits);
// Number of 18 Kb BRAM blocks that hold `bits`.
std::int64_t bram18_of(std::int64_t bits);

}  // namespace weft::barista
