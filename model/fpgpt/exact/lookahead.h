#pragma once

#include <cstddef>
#include <cstdint>

#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/kernel.h"

namespace weft::fpgpt::exact {

// Maximum look-ahead and look-back of an interval or reader, in rounds or passes.
inline constexpr std::int64_t kMaxLookahead = 200;

// Look-ahead and look-back of the intervals from a kernel state on.
struct Lookahead {
  std::uint8_t rounds = 0, passes = 0;
  std::uint8_t rounds_back = 0, passes_back = 0;  // of blocks still at an earlier round or pass
  bool out = false;
  friend bool operator==(const Lookahead& a, const Lookahead& b) {
    return a.rounds == b.rounds && a.passes == b.passes && a.rounds_back == b.rounds_back &&
           a.passes_back == b.passes_back && a.out == b.out;
  }
};
// Look-ahead and look-back of a reader, in rounds (INP) or passes (KERN).
struct ReaderLookahead {
  std::uint8_t ahead = 0, back = 0;
  friend bool operator==(const ReaderLookahead& a, const ReaderLookahead& b) {
    return a.ahead == b.ahead && a.back == b.back;
  }
};

// Distance that the blocks of a kernel have looked beyond an anchor: windows from the first of its round, passes, and
// rounds (F and GI), including its own.
struct Footprint {
  std::int64_t windows = 0;
  std::int32_t passes = 0, rounds = 0;
};
Footprint footprint(const Plan& plan, const Kernel& kernel, const Anchor& from);
// Returns true if a footprint from this anchor lies in the convolution, without the last window and, for GW, the last
// pass: there a reader may request words that it discards when the later blocks are done.
bool fits(const Plan& plan, const Anchor& anchor, const Footprint& footprint);

// Return the look-back from a state, which the state determines. The look-ahead is recorded later.
Lookahead look_back(const Setting& setting, const Kernel& kernel, const Anchor& anchor);
ReaderLookahead look_back(const Setting& setting, std::size_t port, const stream::DdrReader& reader,
                          const Anchor& anchor);

}  // namespace weft::fpgpt::exact
