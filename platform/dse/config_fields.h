#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

#include "model/core/reading.h"
#include "model/core/resources.h"
#include "platform/config/model_config.h"
#include "platform/config/reader.h"

namespace weft::dse {

// Returns "16 to 128 by 16".
inline std::string range_text(const Range& range) {
  return fmt::format("{} to {} by {}", range.from, range.to, range.step);
}

// A range {from, to, step}, each from 1 to `largest`.
inline void range_fields(config::MapIo& io, Range& range, int largest) {
  io.integer("from", range.from, 1, largest);
  io.integer("to", range.to, 1, largest);
  io.integer("step", range.step, 1, largest);
  if (const config::MapReader* const reader = io.reader()) {
    if (range.to < range.from) {
      throw reader->clash("to", {"from"}, fmt::format("must be at least from = {}, but is {}", range.from, range.to));
    }
  }
}

constexpr std::int64_t kLargestBudget = 1'000'000'000;
constexpr Budget kBudgetOfBoard{-1, -1, -1};  // marks values that a file leaves to the board

inline void budget_fields(config::MapIo& io, Budget& budget, bool uram = true) {
  io.map("budget", config::Need::Optional, [&](config::MapIo& sub) {
    sub.integer("dsp", budget.dsp, 0, kLargestBudget);
    sub.integer("bram18", budget.bram18, 0, kLargestBudget);
    if (uram) sub.integer("uram", budget.uram, 0, kLargestBudget);
  });
}

// Fills in the values that were left to the board.
inline Budget completed(Budget budget, const config::Board& board) {
  const Budget whole = config::budget(board);
  for (const auto member : {&Budget::dsp, &Budget::bram18, &Budget::uram}) {
    if (budget.*member == kBudgetOfBoard.*member) budget.*member = whole.*member;
  }
  budget.lut = whole.lut;
  budget.ff = whole.ff;
  return budget;
}

}  // namespace weft::dse
