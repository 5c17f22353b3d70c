#pragma once

#include "model/barista/alpha.h"
#include "model/barista/gemm.h"
#include "model/stream/range_loop.h"
#include "model/stream/write_loop.h"

namespace weft::barista {

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
