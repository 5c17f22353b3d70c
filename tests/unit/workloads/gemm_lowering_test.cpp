#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <vector>

#include "model/core/error.h"
#include "workloads/lowering.h"

namespace weft::workloads {
namespace {

using conv::Gemm;
using conv::Kind;
using conv::Layer;
using conv::LayerAxis;

struct Matrix {
  Matrix(std::int64_t of_rows, std::int64_t of_columns)
      : rows(of_rows), columns(of_columns), words(static_cast<std::size_t>(of_rows * of_columns)) {}
  std::int64_t& at(std::int64_t row, std::int64_t column) {
    return words[static_cast<std::size_t>(row * columns + column)];
  }
  std::int64_t rows, columns;
  std::vector<std::int64_t> words;
};

Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937_64& random) {
  Matrix matrix(rows, columns);
  // Never 0, so that products are zero only where the convolution has a zero.
  for (std::int64_t& word : matrix.words) word = 1 + static_cast<std::int64_t>(random() % 9);
  return matrix;
}

Matrix transposed(Matrix matrix) {
  Matrix result(matrix.columns, matrix.rows);
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    for (std::int64_t j = 0; j < matrix.columns; ++j) result.at(j, i) = matrix.at(i, j);
  }
  return result;
}

// Returns C = A * B and the number of its products with a factor 0.
std::pair<Matrix, std::int64_t> product(Matrix a, Matrix b) {
  EXPECT_EQ(a.columns, b.rows);
  Matrix c(a.rows, b.columns);
  std::int64_t zeros = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      for (std::int64_t p = 0; p < a.columns; ++p) {
        const std::int64_t word = a.at(i, p) * b.at(p, j);
        zeros += word == 0 ? 1 : 0;
        c.at(i, j) += word;
      }
    }
  }
  return {c, zeros};
}

// Returns the IFM sample of row `w` of the window and output `o`, -1 in the padding; for a layer without groups.
std::int64_t sample(const Layer& layer, std::int64_t w, std::int64_t o) {
  const std::int64_t channel = w / (layer.h.kernel * layer.w.kernel), within = w % (layer.h.kernel * layer.w.kernel);
  const std::int64_t y =
      o / layer.w.out() * layer.h.stride - layer.h.pad_begin + within / layer.w.kernel * layer.h.dilation;
  const std::int64_t x =
      o % layer.w.out() * layer.w.stride - layer.w.pad_begin + within % layer.w.kernel * layer.w.dilation;
  if (y < 0 || y >= layer.h.size || x < 0 || x >= layer.w.size) return -1;
  return (channel * layer.h.size + y) * layer.w.size + x;
}

LayerAxis random_axis(std::mt19937_64& random) {
  const auto from = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  LayerAxis axis;
  axis.kernel = from(1, 4);
  axis.stride = from(1, 3);
  axis.dilation = from(1, 2);
  axis.pad_begin = from(0, axis.kernel - 1);
  axis.pad_end = from(0, axis.kernel - 1);
  axis.size = from(std::max(1, axis.kernel_extent() - axis.pad_begin - axis.pad_end), 9);
  return axis;
}

// The three GEMMs equal the three convolutions of random layers: im2col written out and multiplied as matrices of the
// sizes of lower_gemm, compared with loops over the convolution.
TEST(LowerGemm, GivesTheMatricesWhoseProductsAreTheConvolutions) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    Layer layer;
    layer.channels = 1 + static_cast<int>(random() % 4);
    layer.filters = 1 + static_cast<int>(random() % 5);
    layer.h = random_axis(random);
    layer.w = random_axis(random);
    const std::int64_t window = std::int64_t{layer.channels} * layer.h.kernel * layer.w.kernel;
    const std::int64_t outputs = std::int64_t{layer.h.out()} * layer.w.out();
    const std::int64_t samples = std::int64_t{layer.channels} * layer.h.size * layer.w.size;
    Matrix ifm = random_matrix(1, samples, random);
    Matrix weights = random_matrix(layer.filters, window, random);
    Matrix gradient = random_matrix(layer.filters, outputs, random);
    Matrix columns(window, outputs);
    Matrix ofm(layer.filters, outputs), grad_ifm(1, samples), grad_weights(layer.filters, window);
    std::int64_t stored = 0;
    for (std::int64_t w = 0; w < window; ++w) {
      for (std::int64_t o = 0; o < outputs; ++o) {
        const std::int64_t at = sample(layer, w, o);
        if (at < 0) continue;
        columns.at(w, o) = ifm.at(0, at);
        for (std::int64_t d = 0; d < layer.filters; ++d) {
          ofm.at(d, o) += weights.at(d, w) * ifm.at(0, at);
          grad_ifm.at(0, at) += weights.at(d, w) * gradient.at(d, o);
          grad_weights.at(d, w) += gradient.at(d, o) * ifm.at(0, at);
          ++stored;
        }
      }
    }
    const auto expect_sizes = [&](const Gemm& gemm, const Matrix& a, const Matrix& b) {
      EXPECT_EQ(std::tuple(gemm.r, gemm.p, gemm.c), std::tuple(a.rows, a.columns, b.columns));
      EXPECT_EQ(gemm.macs() - gemm.zeros, stored);
    };
    const Gemm f = lower_gemm(layer, Kind::F);
    expect_sizes(f, weights, columns);
    const auto [forward, f_zeros] = product(weights, columns);
    EXPECT_EQ(forward.words, ofm.words);
    EXPECT_EQ(f.zeros, f_zeros);

    const Gemm gw = lower_gemm(layer, Kind::GW);
    expect_sizes(gw, gradient, transposed(columns));
    const auto [weight_gradient, gw_zeros] = product(gradient, transposed(columns));
    EXPECT_EQ(weight_gradient.words, grad_weights.words);
    EXPECT_EQ(gw.zeros, gw_zeros);

    const Gemm gi = lower_gemm(layer, Kind::GI);
    expect_sizes(gi, transposed(weights), gradient);
    Matrix spread = product(transposed(weights), gradient).first, summed(1, samples);
    for (std::int64_t w = 0; w < window; ++w) {
      for (std::int64_t o = 0; o < outputs; ++o) {
        if (const std::int64_t at = sample(layer, w, o); at >= 0) summed.at(0, at) += spread.at(w, o);
      }
    }
    EXPECT_EQ(summed.words, grad_ifm.words);
  }
}

// conv1 of ResNet-20: 16 filters over 3 x 32 x 32, 3 x 3, padded by 1. In a row of 32 outputs, the first and the last
// miss one of their three samples: 94 of 96 pairs per axis meet a sample.
TEST(LowerGemm, CountsTheZerosOfAKnownLayer) {
  const LayerAxis axis{32, 3, 1, 1, 1, 1};
  const Layer layer{"", 1, 3, 16, 1, axis, axis};
  const Gemm f = lower_gemm(layer, Kind::F);
  EXPECT_EQ(std::tuple(f.r, f.p, f.c, f.zeros), std::tuple(16, 27, 1024, 16 * 27 * 1024 - 16 * 3 * 94 * 94));
}

// A GEMM covers one group: a quarter of the channels and of the filters.
TEST(LowerGemm, IsOfOneImageAndGroup) {
  const LayerAxis axis{5, 3, 1, 0, 0, 1};
  Layer layer{"", 8, 8, 12, 4, axis, axis};
  const Gemm gi = lower_gemm(layer, Kind::GI);
  EXPECT_EQ(std::tuple(gi.r, gi.p, gi.c), std::tuple(2 * 9, 3, 9));
  layer.groups = 5;
  EXPECT_THROW(lower_gemm(layer, Kind::F), Error);
}

TEST(LowerGemm, KnowsTheMapsThatAreTheMatrixOfIm2col) {
  Layer layer;
  layer.h = layer.w = {5, 1, 1, 0, 0, 1};
  EXPECT_TRUE(is_matrix(layer));
  for (const LayerAxis& axis : {LayerAxis{5, 2, 1, 0, 0, 1}, LayerAxis{5, 1, 2, 0, 0, 1}, LayerAxis{5, 1, 1, 1, 0, 1},
                                LayerAxis{5, 1, 1, 0, 1, 1}}) {
    Layer other = layer;
    other.w = axis;
    EXPECT_FALSE(is_matrix(other));
    std::swap(other.h, other.w);
    EXPECT_FALSE(is_matrix(other));
  }
}

}  // namespace
}  // namespace weft::workloads
