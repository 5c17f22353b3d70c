#include "platform/iteration/host/matrix_loops.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "model/barista/plan.h"

namespace weft::host {
namespace {

using Floats = std::vector<float>;

Floats counted(std::int64_t words) {
  Floats result(static_cast<std::size_t>(words));
  std::iota(result.begin(), result.end(), 1.0F);
  return result;
}

// 1 2 3   in tiles of 2 by 2: the upper pair of tiles, then the lower one.
// 4 5 6
// 7 8 9
TEST(MatrixLoops, PutAIntoTilesRowByRowAndBColumnByColumn) {
  Floats matrix = counted(9), tiles(16, -1.0F);
  const plain::MatrixView view{matrix.data(), 3, 3, 3, 1};
  plain::tile_a(view, 2, 2, tiles.data());
  EXPECT_EQ(tiles, (Floats{1, 2, 4, 5, 3, 0, 6, 0, 7, 8, 0, 0, 9, 0, 0, 0}));
  plain::tile_b(view, 2, 2, tiles.data());
  EXPECT_EQ(tiles, (Floats{1, 2, 4, 5, 7, 8, 0, 0, 3, 0, 6, 0, 9, 0, 0, 0}));
  plain::clear_tiles(view, 2, 2, tiles.data());
  EXPECT_EQ(tiles, Floats(16, 0.0F));
}

TEST(MatrixLoops, TakeCOutOfItsTilesOrAddIt) {
  const Floats tiles{1, 2, 4, 5, 3, -1, 6, -1, 7, 8, -1, -1, 9, -1, -1, -1};
  Floats matrix(9, 100.0F);
  const plain::MatrixView view{matrix.data(), 3, 3, 3, 1};
  plain::untile_c(tiles.data(), 2, 2, false, view);
  EXPECT_EQ(matrix, counted(9));
  plain::untile_c(tiles.data(), 2, 2, true, view);
  EXPECT_EQ(matrix, (Floats{2, 4, 6, 8, 10, 12, 14, 16, 18}));
}

// The tiles equal those that the kernel expects, for any shape, of the matrix or of its transpose.
TEST(MatrixLoops, TileAsBaristaIsGivenItsMatrices) {
  std::mt19937 random(7);
  const auto draw = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(1, most)(random); };
  for (int i = 0; i < 200; ++i) {
    barista::Alpha alpha;
    alpha.tr = static_cast<int>(draw(5));
    alpha.tc = static_cast<int>(draw(5));
    alpha.tp = static_cast<int>(draw(7));
    alpha.band = 1;  // so that tiles of any shape are whole beats
    barista::Gemm gemm;
    gemm.r = draw(13), gemm.p = draw(17), gemm.c = draw(13);
    const barista::Tiles tiles(alpha, gemm);
    const auto words = [](std::int64_t n) { return Floats(static_cast<std::size_t>(n), -1.0F); };
    const auto transposed = [](const Floats& matrix, std::int64_t rows, std::int64_t columns) {
      Floats result(matrix.size());
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) result[c * rows + r] = matrix[r * columns + c];
      }
      return result;
    };
    Floats a = counted(gemm.r * gemm.p), b = counted(gemm.p * gemm.c);
    Floats wanted_a = words(tiles.a_words(alpha)), wanted_b = words(tiles.b_words(alpha));
    barista::tile_a(alpha, gemm, a.data(), wanted_a.data());
    barista::tile_b(alpha, gemm, b.data(), wanted_b.data());
    Floats a_turned = transposed(a, gemm.r, gemm.p), b_turned = transposed(b, gemm.p, gemm.c);
    for (const auto& view : {plain::MatrixView{a.data(), gemm.r, gemm.p, gemm.p, 1},
                             plain::MatrixView{a_turned.data(), gemm.r, gemm.p, 1, gemm.r}}) {
      Floats got = words(tiles.a_words(alpha));
      plain::tile_a(view, alpha.tr, alpha.tp, got.data());
      ASSERT_EQ(got, wanted_a) << i;
    }
    for (const auto& view : {plain::MatrixView{b.data(), gemm.p, gemm.c, gemm.c, 1},
                             plain::MatrixView{b_turned.data(), gemm.p, gemm.c, 1, gemm.p}}) {
      Floats got = words(tiles.b_words(alpha));
      plain::tile_b(view, alpha.tp, alpha.tc, got.data());
      ASSERT_EQ(got, wanted_b) << i;
    }
    const Floats c_tiles = counted(tiles.c_words(alpha));
    Floats c = words(gemm.r * gemm.c), wanted_c = c;
    barista::untile_c(alpha, gemm, c_tiles.data(), wanted_c.data());
    plain::untile_c(c_tiles.data(), alpha.tr, alpha.tc, false, {c.data(), gemm.r, gemm.c, gemm.c, 1});
    ASSERT_EQ(c, wanted_c) << i;
  }
}

// A window of 2 x 2 over 2 x 2 with a border of padding: 3 x 3 outputs, of which every word of the map meets four. Rows
// of the matrix are the places (0,0), (0,1), (1,0), (1,1) of the window; map(y, x) is the sum over them of the word at
// output (y + 1 - kh, x + 1 - kw). Row i holds 10 i + the output's number.
TEST(MatrixLoops, AddUpToTheMapWhatIsNotPadding) {
  Floats matrix(36);
  for (int i = 0; i < 36; ++i) {
    const int row = i / 9, output = i % 9;
    matrix[i] = static_cast<float>(10 * row + output);
  }
  Floats map(4, -1.0F);
  const conv::LayerAxis axis{2, 2, 1, 1, 1, 1};
  plain::col2im(matrix.data(), 1, axis, axis, map.data());
  // (0,0): 4 + (10 + 3) + (20 + 1) + (30 + 0) = 68; one to the right, or 3 outputs down: each of four words larger.
  EXPECT_EQ(map, (Floats{68, 72, 80, 84}));
}

// Stride 2 and dilation 2, no padding, two channels: 5 wide, window 2: outputs at 0, 2 and weights at +0, +2.
TEST(MatrixLoops, AddUpWithStrideAndDilation) {
  const conv::LayerAxis h{1, 1, 1, 0, 0, 1}, w{5, 2, 2, 0, 0, 2};
  ASSERT_EQ(w.out(), 2);
  const Floats matrix{1, 2, 10, 20, 3, 4, 30, 40};
  Floats map(10);
  plain::col2im(matrix.data(), 2, h, w, map.data());
  EXPECT_EQ(map, (Floats{1, 0, 2 + 10, 0, 20, 3, 0, 4 + 30, 0, 40}));
}

}  // namespace
}  // namespace weft::host
