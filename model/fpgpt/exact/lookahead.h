#pragma once

#include <cstddef>
#include <cstdint>

#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/kernel.h"

namespace weft::fpgpt::exact {

// Rounds or passes that a interval or a reader in it may look ahead or back.
inline constexpr std::int64_t kMaxLookahead = 200;

// How far the intervals that begin in a state of the kernel look.
struct Lookahead {
  std::uint8_t rounds = 0, passes = 0;
  std::uint8_t rounds_back = 0, passes_back = 0;  // blocks that are still at an earlier round or pass
  bool out = false;
  friend bool operator==(const Lookahead& a, const Lookahead& b) {
    return a.rounds == b.rounds && a.passes == b.passes && a.rounds_back == b.rounds_back &&
           a.passes_back == b.passes_back && a.out == b.out;
  }
};
// The same of a reader, in rounds (INP) or passes (KERN).
struct ReaderLookahead {
  std::uint8_t ahead = 0, back = 0;
  friend bool operator==(const ReaderLookahead& a, const ReaderLookahead& b) {
    return a.ahead == b.ahead && a.back == b.back;
  }
};

// How far the blocks of a kernel have looked ahead of an anchor: windows from the first of its round on, passes and (F
// and GI) rounds from its own on.
struct Footprint {
  std::int64_t windows = 0;
  std::int32_t passes = 0, rounds = 0;
};
Footprint footprint(const Plan& plan, const Kernel& kernel, const Anchor& from);
// Whether all of that is there from another anchor on, short of the last window and, for GW, the last pass: a reader
// may be asking for what it will discard of it when the blocks behind it are through.
bool fits(const Plan& plan, const Anchor& anchor, const Footprint& footprint);

// How far back what begins in a state looks, which the state tells; how far ahead is not known yet.
Lookahead look_back(const Setting& setting, const Kernel& kernel, const Anchor& anchor);
ReaderLookahead look_back(const Setting& setting, std::size_t port, const stream::DdrReader& reader,
                          const Anchor& anchor);

}  // namespace weft::fpgpt::exact
