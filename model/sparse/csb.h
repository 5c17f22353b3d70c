#pragma once

#include <cstdint>
#include <vector>

#include "model/sparse/mask.h"

namespace weft::sparse {

// Compressed sparse blocks: the matrix of a layer's 2-D kernels (outputs by inputs), divided into square blocks. Each
// block has its kept kernels with their coordinates, column by column (CONTRACT.md of batchlane, CSB-1 to CSB-4).
struct Csb {
  int rows = 0, columns = 0;
  int block = 128;                        // rows and columns of a block, at most 256 because a coordinate is a byte
  int value_bytes = 1;                    // bytes of a kernel: k * k weights of 8 bits
  std::vector<std::uint32_t> begin;       // first entry of each block, blocks row by row; and the end
  std::vector<std::uint8_t> row, column;  // coordinates of each entry in its block
  std::vector<std::int8_t> values;        // value_bytes of each entry

  int block_rows() const { return (rows + block - 1) / block; }
  int block_columns() const { return (columns + block - 1) / block; }
  std::size_t entries() const { return row.size(); }

  friend bool operator==(const Csb& a, const Csb& b) {
    return a.rows == b.rows && a.columns == b.columns && a.block == b.block && a.value_bytes == b.value_bytes &&
           a.begin == b.begin && a.row == b.row && a.column == b.column && a.values == b.values;
  }
};

// Encodes the kernels that the mask keeps. `weights`: value_bytes of each kernel, row by row.
Csb encode(const Mask& mask, const std::vector<std::int8_t>& weights, int value_bytes, int block);

struct Decoded {
  Mask mask;
  std::vector<std::int8_t> weights;  // zeros for kernels that the mask drops
};
Decoded decode(const Csb& csb);

// Returns the same kernels with rows and columns swapped, in the entries' coordinates and the order of blocks. The
// values of a kernel do not change.
Csb transpose(const Csb& csb);

}  // namespace weft::sparse
