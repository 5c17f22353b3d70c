#pragma once

#include <fmt/core.h>

#include <string>

#include "model/core/range.h"
#include "platform/config/reader.h"

namespace weft::dse {

// "16 to 128 by 16"
inline std::string range_text(const Range& range) {
  return fmt::format("{} to {} by {}", range.from, range.to, range.step);
}

// {from, to, step}, each from 1 to `largest`.
template <class Io>
void range_fields(Io& io, Range& range, int largest) {
  io.integer("from", range.from, 1, largest);
  io.integer("to", range.to, 1, largest);
  io.integer("step", range.step, 1, largest);
  if constexpr (Io::kReads) {
    if (range.to < range.from) {
      throw io.clash("to", {"from"}, fmt::format("{} is less than from, {}", range.to, range.from));
    }
  }
}

}  // namespace weft::dse
