#pragma once

#include <cstdint>

#include "model/memory/clock_ratio.h"

namespace weft::engine {

// Where a channel is.
struct ChannelPosition {
  std::uint32_t state = 0;
  std::int64_t row = 0;  // that rows are relative to: of the last address
  memory::Nck refresh_due = 0;
};

}  // namespace weft::engine
