#pragma once

#include <algorithm>
#include <cstdint>

#include "model/conv/convolution.h"

// Host work on the matrices of a GEMM that the card multiplies tile by tile, as straightforward loops, which check for
// each word of a tile whether it is in the matrix. They run in parallel with OpenMP.
namespace weft::host::plain {

// A matrix of rows by columns words with arbitrary strides: row-major, or transposed.
struct MatrixView {
  float* data = nullptr;
  std::int64_t rows = 0, columns = 0, row_stride = 0, column_stride = 0;

  float& at(std::int64_t row, std::int64_t column) const { return data[row * row_stride + column * column_stride]; }
  float or_zero(std::int64_t row, std::int64_t column) const {
    return row < rows && column < columns ? at(row, column) : 0.0F;
  }
};

// Copies A into tiles of height by width words, ordered by row of tiles, then k; p is innermost in a tile.
inline void tile_a(const MatrixView& a, std::int64_t height, std::int64_t width, float* tiles) {
  const std::int64_t down = (a.rows + height - 1) / height, along = (a.columns + width - 1) / width;
#pragma omp parallel for
  for (std::int64_t i = 0; i < down; ++i) {
    float* to = tiles + i * along * height * width;
    for (std::int64_t k = 0; k < along; ++k) {
      for (std::int64_t row = i * height; row < (i + 1) * height; ++row) {
        for (std::int64_t p = k * width; p < (k + 1) * width; ++p) *to++ = a.or_zero(row, p);
      }
    }
  }
}

// Copies B into tiles ordered by column of tiles, then k; the matrix's columns are innermost in a tile.
inline void tile_b(const MatrixView& b, std::int64_t height, std::int64_t width, float* tiles) {
  const std::int64_t down = (b.rows + height - 1) / height, along = (b.columns + width - 1) / width;
#pragma omp parallel for
  for (std::int64_t j = 0; j < along; ++j) {
    float* to = tiles + j * down * height * width;
    for (std::int64_t k = 0; k < down; ++k) {
      for (std::int64_t p = k * height; p < (k + 1) * height; ++p) {
        for (std::int64_t column = j * width; column < (j + 1) * width; ++column) *to++ = b.or_zero(p, column);
      }
    }
  }
}

// Clears C's tiles before the kernel writes them.
inline void clear_tiles(const MatrixView& c, std::int64_t height, std::int64_t width, float* tiles) {
  const std::int64_t down = (c.rows + height - 1) / height, along = (c.columns + width - 1) / width;
  const std::int64_t words = down * along * height * width;
#pragma omp parallel for
  for (std::int64_t i = 0; i < words; ++i) tiles[i] = 0.0F;
}

// Copies C out of its tiles, which are ordered like those of A; `add`: adds them to C.
inline void untile_c(const float* tiles, std::int64_t height, std::int64_t width, bool add, const MatrixView& c) {
  const std::int64_t down = (c.rows + height - 1) / height, along = (c.columns + width - 1) / width;
#pragma omp parallel for
  for (std::int64_t i = 0; i < down; ++i) {
    const float* from = tiles + i * along * height * width;
    for (std::int64_t j = 0; j < along; ++j) {
      for (std::int64_t row = i * height; row < (i + 1) * height; ++row) {
        for (std::int64_t column = j * width; column < (j + 1) * width; ++column) {
          const float word = *from++;
          if (row < c.rows && column < c.columns) c.at(row, column) = add ? c.at(row, column) + word : word;
        }
      }
    }
  }
}

// As in Caffe: clears the map of `channels`, then adds each row of the matrix (a channel and a position in the window,
// Ho*Wo words) to it. Samples in the padding are dropped.
inline void col2im(const float* matrix, std::int64_t channels, const conv::LayerAxis& h, const conv::LayerAxis& w,
                   float* map) {
  const std::int64_t ho = h.out(), wo = w.out();
  std::fill_n(map, channels * h.size * w.size, 0.0F);
#pragma omp parallel for
  for (std::int64_t c = 0; c < channels; ++c) {
    float* const of_channel = map + c * h.size * w.size;
    const float* from = matrix + c * h.kernel * w.kernel * ho * wo;
    for (std::int64_t kh = 0; kh < h.kernel; ++kh) {
      for (std::int64_t kw = 0; kw < w.kernel; ++kw) {
        for (std::int64_t y = 0; y < ho; ++y) {
          const std::int64_t row = y * h.stride + kh * h.dilation - h.pad_begin;
          for (std::int64_t x = 0; x < wo; ++x) {
            const std::int64_t column = x * w.stride + kw * w.dilation - w.pad_begin;
            const float word = *from++;
            if (row >= 0 && row < h.size && column >= 0 && column < w.size) of_channel[row * w.size + column] += word;
          }
        }
      }
    }
  }
}

}  // namespace weft::host::plain
