#pragma once

#include <cstdint>

#include "model/barista/alpha.h"
#include "model/conv/convolution.h"
#include "model/core/units.h"
#include "model/stream/range_loop.h"
#include "model/stream/write_loop.h"

namespace weft::barista {

using conv::Gemm;

// Tile counts of a GEMM on a kernel, and words of the tiled matrices in memory (CONTRACT.md, section 2).
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

// Host-side tiling of the matrices of a GEMM (CONTRACT.md, section 2). Matrices are dense and row-major: A is R by P, B
// is P by C, C is R by C.

// Write all Tiles::a_words (b_words) words of the tiles of A (B), zeros where a tile extends beyond the matrix.
void tile_a(const Alpha& alpha, const Gemm& gemm, const float* matrix, float* tiles);
void tile_b(const Alpha& alpha, const Gemm& gemm, const float* matrix, float* tiles);
// Copies the words of C that belong to the matrix.
void untile_c(const Alpha& alpha, const Gemm& gemm, const float* tiles, float* matrix);

// Base addresses of the three tensors: bytes in the memory channel of their port, multiples of 4096.
struct Bases {
  Address a = 0, b = 0, c = 0;
};

// Work of the blocks of a kernel for one GEMM.
struct Plan {
  Alpha alpha;
  Gemm gemm;
  Tiles tiles;
  stream::RangeLoop a, b;
  stream::WriteLoop c;
  bool with_data = false;
};

// Throws Error if a base is not aligned.
Plan make_plan(const Alpha& alpha, const Gemm& gemm, const Bases& bases, bool with_data);

}  // namespace weft::barista
