#include "model/sparse/csb.h"

#include <algorithm>
#include <stdexcept>

namespace weft::sparse {

namespace {

constexpr int kMaxBlock = 256;

// Calls visit(block row, block column, first row, first column, rows, columns) for each block, row by row.
template <class Visit>
void for_each_block(const Csb& csb, Visit visit) {
  for (int r = 0; r < csb.block_rows(); ++r) {
    for (int c = 0; c < csb.block_columns(); ++c) {
      const int row = r * csb.block, column = c * csb.block;
      visit(row, column, std::min(csb.block, csb.rows - row), std::min(csb.block, csb.columns - column));
    }
  }
}

void add(Csb& csb, int row, int column, const std::int8_t* values) {
  csb.row.push_back(static_cast<std::uint8_t>(row));
  csb.column.push_back(static_cast<std::uint8_t>(column));
  csb.values.insert(csb.values.end(), values, values + csb.value_bytes);
}

}  // namespace

Csb encode(const Mask& mask, const std::vector<std::int8_t>& weights, int value_bytes, int block) {
  if (block < 1 || block > kMaxBlock) throw std::logic_error("a coordinate of CSB is a byte");
  Csb csb;
  csb.rows = mask.outputs();
  csb.columns = mask.inputs();
  csb.block = block;
  csb.value_bytes = value_bytes;
  for_each_block(csb, [&](int first_row, int first_column, int rows, int columns) {
    csb.begin.push_back(static_cast<std::uint32_t>(csb.entries()));
    for (int column = 0; column < columns; ++column) {
      for (int row = 0; row < rows; ++row) {
        if (!mask.kept(first_row + row, first_column + column)) continue;
        const std::size_t kernel =
            static_cast<std::size_t>(first_row + row) * csb.columns + static_cast<std::size_t>(first_column + column);
        add(csb, row, column, weights.data() + kernel * static_cast<std::size_t>(value_bytes));
      }
    }
  });
  csb.begin.push_back(static_cast<std::uint32_t>(csb.entries()));
  return csb;
}

Decoded decode(const Csb& csb) {
  Decoded result{Mask(csb.rows, csb.columns), {}};
  const auto bytes = static_cast<std::size_t>(csb.value_bytes);
  result.weights.assign(static_cast<std::size_t>(csb.rows) * csb.columns * bytes, 0);
  std::size_t block = 0;
  for_each_block(csb, [&](int first_row, int first_column, int, int) {
    for (std::size_t i = csb.begin[block]; i < csb.begin[block + 1]; ++i) {
      const int row = first_row + csb.row[i], column = first_column + csb.column[i];
      result.mask.set(row, column, true);
      const std::size_t kernel = static_cast<std::size_t>(row) * csb.columns + static_cast<std::size_t>(column);
      std::copy_n(csb.values.begin() + static_cast<std::ptrdiff_t>(i * bytes), bytes,
                  result.weights.begin() + static_cast<std::ptrdiff_t>(kernel * bytes));
    }
    ++block;
  });
  return result;
}

Csb transpose(const Csb& csb) {
  Csb result;
  result.rows = csb.columns;
  result.columns = csb.rows;
  result.block = csb.block;
  result.value_bytes = csb.value_bytes;
  for (int c = 0; c < csb.block_columns(); ++c) {
    for (int r = 0; r < csb.block_rows(); ++r) {
      result.begin.push_back(static_cast<std::uint32_t>(result.entries()));
      const std::size_t block =
          static_cast<std::size_t>(r) * static_cast<std::size_t>(csb.block_columns()) + static_cast<std::size_t>(c);
      std::vector<std::uint32_t> order;
      for (std::uint32_t i = csb.begin[block]; i < csb.begin[block + 1]; ++i) order.push_back(i);
      // The columns of the result are the former rows: sorts the entries by them.
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return csb.row[a] < csb.row[b]; });
      for (const std::uint32_t i : order) {
        add(result, csb.column[i], csb.row[i], csb.values.data() + std::size_t{i} * csb.value_bytes);
      }
    }
  }
  result.begin.push_back(static_cast<std::uint32_t>(result.entries()));
  return result;
}

}  // namespace weft::sparse
