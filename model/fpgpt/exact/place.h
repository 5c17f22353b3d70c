#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/engine/arrivals.h"
#include "model/engine/channels.h"
#include "model/fpgpt/exact/cut.h"

namespace weft::fpgpt::exact {

// Everything a walk needs to go on from, or back to, an anchor.
struct Place {
  Cycles now = 0;
  std::int64_t windows = 0;                // emitted by im2col
  std::uint32_t state = 0;                 // of the kernel ...
  std::array<std::uint32_t, 2> readers{};  // ... and of the readers of INP and KERN
  std::array<engine::Arrivals, 2> read;
  std::vector<Cycles> assumed;  // write responses that the memory has not confirmed
  Cycles last_answer = -1;
  std::vector<engine::ChannelPosition> channels;

  Anchor anchor(const Cut& cut) const { return cut.anchor(now, windows); }
  // The next one, `cycles` later.
  Anchor end(const Cut& cut, Cycles cycles) const { return cut.anchor(now + cycles, cut.next(windows)); }
};

}  // namespace weft::fpgpt::exact
