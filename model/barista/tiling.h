#pragma once

#include "model/barista/gemm.h"

namespace weft::barista {

// What the host does with the matrices of a GEMM (CONTRACT.md, section 2). Matrices are dense and row-major: A is R by
// P, B is P by C, C is R by C.

// Writes all Tiles::a_words (b_words) of A's (B's) tiles, zeros where a tile goes beyond the matrix.
void tile_a(const Alpha& alpha, const Gemm& gemm, const float* matrix, float* tiles);
void tile_b(const Alpha& alpha, const Gemm& gemm, const float* matrix, float* tiles);
// Reads the words of C that belong to the matrix.
void untile_c(const Alpha& alpha, const Gemm& gemm, const float* tiles, float* matrix);

}  // namespace weft::barista
