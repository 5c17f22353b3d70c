#pragma once

#include <cstdint>

#include "model/barista/alpha.h"
#include "model/conv/convolution.h"
#include "model/core/units.h"
#include "model/stream/range_loop.h"
#include "model/stream/write_loop.h"

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

// What the host does with the matrices of a GEMM (CONTRACT.md, section 2). Matrices are dense and row-major: A is R by
// P, B is P by C, C is R by C.

// Writes all Tiles::a_words (b_words) of A's (B's) tiles, zeros where a tile goes beyond the matrix.
void tile_a(const Alpha& alpha, const Gemm& gemm, const float* matrix, float* tiles);
void tile_b(const Alpha& alpha, const Gemm& gemm, const float* matrix, float* tiles);
// Reads the words of C that belong to the matrix.
void untile_c(const Alpha& alpha, const Gemm& gemm, const float* tiles, float* matrix);

// Where the three tensors lie: bytes in the memory channel of their port, each a multiple of 4096.
struct Bases {
  Address a = 0, b = 0, c = 0;
};

// What one GEMM means for the blocks of a kernel.
struct Plan {
  Alpha alpha;
  Gemm gemm;
  Tiles tiles;
  stream::RangeLoop a, b;
  stream::WriteLoop c;
  bool with_data = false;
};

// Throws Error for a base that is not aligned.
Plan make_plan(const Alpha& alpha, const Gemm& gemm, const Bases& bases, bool with_data);

}  // namespace weft::barista
