#pragma once

#include <cstdint>

namespace weft {

// Values that are tried: from, from + step, ... up to `to`.
struct Range {
  int from = 1, to = 1, step = 1;

  std::int64_t count() const { return to < from ? 0 : (to - from) / step + 1; }
  int at(std::int64_t i) const { return from + static_cast<int>(i) * step; }
};

}  // namespace weft
