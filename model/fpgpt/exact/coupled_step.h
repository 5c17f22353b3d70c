#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/engine/takes.h"
#include "model/engine/tape.h"
#include "model/fpgpt/exact/sight.h"
#include "model/fpgpt/kernel.h"
#include "model/memory/memory.h"

namespace weft::fpgpt::exact {

// What blocks and ports count in a step.
struct CoupledCounts {
  BlockActivities activities{};
  ArrayStarved array_starved{};
  std::array<memory::PortStats, kPorts> ports;
  std::int64_t uses = 0;  // that are not counted yet
};

// What a kernel and its DDR4 memory do together from an anchor to one some hundred cycles later.
struct CoupledStep {
  std::uint32_t next = 0;  // the state after it
  std::int32_t cycles = 0, windows = 0;
  CoupledCounts* counts = nullptr;
  struct Channel {
    std::int32_t rows = 0, refreshes = 0;  // how far its row and its next refresh move on
    friend bool operator==(const Channel& a, const Channel& b) {
      return a.rows == b.rows && a.refreshes == b.refreshes;
    }
  };
  std::array<Channel, kPorts> channels;  // of those that are joined, by the channel
  // Of those that stand aside: what they are sent; and when the responses to that are visible, if they take every beat
  // as it comes, in cycles from the start.
  std::array<const engine::Tape*, kPorts> tapes{};
  std::vector<engine::Run> answers;
  Looked looked;
};

}  // namespace weft::fpgpt::exact
