#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::fpgpt::dse {

struct SetCover {
  std::vector<std::size_t> columns;  // sorted
  std::int64_t at_least = 0;         // no cover has fewer columns; columns.size() if that is proved
  bool proved() const { return at_least == static_cast<std::int64_t>(columns.size()); }
};

// A cover of the rows 0 .. rows-1 by the fewest `columns` (each a sorted list of rows). Reductions that keep an optimum
// come first: a column within another, a row whose columns all cover another row, a row with one column. What is left
// is proved by Z3, component by component. Each of its questions may take `effort` of its own steps, some seconds
// unless given, which does not depend on the machine's speed; beyond it the cover is the best found and `at_least` the
// largest number that is proved. Throws Error for a row that no column covers.
SetCover minimum_set_cover(std::size_t rows, const std::vector<std::vector<std::size_t>>& columns,
                           unsigned effort = 10'000'000);

}  // namespace weft::fpgpt::dse
