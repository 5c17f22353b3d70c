#pragma once

#include <cstdint>

#include "model/barista/alpha.h"
#include "model/conv/convolution.h"
#include "model/core/units.h"

namespace weft::barista {

using conv::Gemm;

// Tiles of a GEMM on a kernel, and what they take in memory (CONTRACT.md, section 2).
struct Tiles {
  std::int64_t rt = 1, ct = 1, k = 1;

  Tiles() = default;
  Tiles(const Alpha& alpha, const Gemm& gemm)
      : rt(ceil_div(gemm.r, alpha.tr)), ct(ceil_div(gemm.c, alpha.tc)), k(ceil_div(gemm.p, alpha.tp)) {}

  std::int64_t outputs() const { return rt * ct; }  // tiles of C
  Words a_words(const Alpha& alpha) const { return rt * k * alpha.a_tile_words(); }
  Words b_words(const Alpha& alpha) const { return ct * k * alpha.b_tile_words(); }
  Words c_words(const Alpha& alpha) const { return outputs() * alpha.c_tile_words(); }
};

}  // namespace weft::barista
