#pragma once

#include <cstdint>

namespace weft::fpgpt::exact {

// Rounds or passes that a stretch or a reader in it may look ahead or back.
inline constexpr std::int64_t kFarthest = 200;

// How far the stretches that begin in a state of the kernel look.
struct Sight {
  std::uint8_t rounds = 0, passes = 0;
  std::uint8_t rounds_back = 0, passes_back = 0;  // blocks that are still at an earlier round or pass
  bool out = false;
  friend bool operator==(const Sight& a, const Sight& b) {
    return a.rounds == b.rounds && a.passes == b.passes && a.rounds_back == b.rounds_back &&
           a.passes_back == b.passes_back && a.out == b.out;
  }
};
// The same of a reader, in rounds (INP) or passes (KERN).
struct ReaderSight {
  std::uint8_t ahead = 0, back = 0;
  friend bool operator==(const ReaderSight& a, const ReaderSight& b) { return a.ahead == b.ahead && a.back == b.back; }
};

}  // namespace weft::fpgpt::exact
