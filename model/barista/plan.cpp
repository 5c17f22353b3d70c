#include "model/barista/plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"

namespace weft::barista {

Plan make_plan(const Alpha& alpha, const Gemm& gemm, const Bases& bases, bool with_data) {
  for (const Address base : {bases.a, bases.b, bases.c}) {
    if (base % stream::kPageBytes != 0) {
      throw Error(
          fmt::format("a tensor begins at byte {}, but must begin at a multiple of {}", base, stream::kPageBytes));
    }
  }
  Plan plan;
  plan.alpha = alpha;
  plan.gemm = gemm;
  plan.tiles = Tiles(alpha, gemm);
  plan.with_data = with_data;
  const Tiles& tiles = plan.tiles;
  // BAR-1: for each i, j, k, tile (i, k) of A and tile (j, k) of B.
  plan.a.n = tiles.rt;
  plan.a.g = tiles.ct;
  plan.a.c = tiles.k;
  plan.a.base = bases.a / 4;
  plan.a.pitch_c = alpha.a_tile_words();
  plan.a.pitch_n = tiles.k * plan.a.pitch_c;
  plan.a.words = Words{alpha.tr} * alpha.tp;
  plan.b.a = tiles.rt;
  plan.b.n = tiles.ct;
  plan.b.c = tiles.k;
  plan.b.base = bases.b / 4;
  plan.b.pitch_c = alpha.b_tile_words();
  plan.b.pitch_n = tiles.k * plan.b.pitch_c;
  plan.b.words = Words{alpha.tp} * alpha.tc;
  plan.a.band = plan.b.band = plan.c.band = alpha.band;
  plan.c.base = bases.c / 4;
  plan.c.run_words = tiles.c_words(alpha);
  return plan;
}

namespace {

// Part of a rows x columns matrix that the height x width tile at (row, column) covers. Words are dense.
struct TilePart {
  std::int64_t row, column, rows, columns;
};
TilePart part_of(std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t width, std::int64_t rows,
                 std::int64_t columns) {
  return {row, column, std::min(height, rows - row), std::min(width, columns - column)};
}

void copy_in(const TilePart& part, std::int64_t matrix_columns, const float* matrix, std::int64_t width, float* tile) {
  for (std::int64_t i = 0; i < part.rows; ++i) {
    std::copy_n(matrix + (part.row + i) * matrix_columns + part.column, part.columns, tile + i * width);
  }
}

}  // namespace

void tile_a(const Alpha& alpha, const Gemm& gemm, const float* matrix, float* tiles) {
  const Tiles count(alpha, gemm);
  std::fill_n(tiles, count.a_words(alpha), 0.0F);
  for (std::int64_t i = 0; i < count.rt; ++i) {
    for (std::int64_t k = 0; k < count.k; ++k, tiles += alpha.a_tile_words()) {
      copy_in(part_of(i * alpha.tr, k * alpha.tp, alpha.tr, alpha.tp, gemm.r, gemm.p), gemm.p, matrix, alpha.tp, tiles);
    }
  }
}

void tile_b(const Alpha& alpha, const Gemm& gemm, const float* matrix, float* tiles) {
  const Tiles count(alpha, gemm);
  std::fill_n(tiles, count.b_words(alpha), 0.0F);
  for (std::int64_t j = 0; j < count.ct; ++j) {
    for (std::int64_t k = 0; k < count.k; ++k, tiles += alpha.b_tile_words()) {
      copy_in(part_of(k * alpha.tp, j * alpha.tc, alpha.tp, alpha.tc, gemm.p, gemm.c), gemm.c, matrix, alpha.tc, tiles);
    }
  }
}

void untile_c(const Alpha& alpha, const Gemm& gemm, const float* tiles, float* matrix) {
  const Tiles count(alpha, gemm);
  for (std::int64_t i = 0; i < count.rt; ++i) {
    for (std::int64_t j = 0; j < count.ct; ++j, tiles += alpha.c_tile_words()) {
      const TilePart part = part_of(i * alpha.tr, j * alpha.tc, alpha.tr, alpha.tc, gemm.r, gemm.c);
      for (std::int64_t row = 0; row < part.rows; ++row) {
        std::copy_n(tiles + row * alpha.tc, part.columns, matrix + (part.row + row) * gemm.c + part.column);
      }
    }
  }
}

}  // namespace weft::barista
