#pragma once

#include <cstdint>
#include <random>

#include "model/engine/channels.h"
#include "model/fpgpt/exact/memo_entry.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/states.h"

namespace weft::fpgpt::exact {

// Steps through some of the intervals that were walked, and compares.
class Verifier {
 public:
  // About `intervals` of a convolution; which ones follows from `seed`.
  Verifier(const Setting& setting, std::int64_t intervals, std::uint64_t seed)
      : setting_(setting), intervals_(intervals), random_(seed) {}

  bool more() const { return verified_ < intervals_; }  // are to be chosen
  // Whether one of the `strides` of `stride` windows each is one of them, the first of which began when so many windows
  // were emitted; they were walked, and are counted.
  bool chooses(std::int64_t windows, std::int64_t stride, std::int64_t strides = 1);
  // Throws Error if `entry` from `before` on does not end as `after` says.
  void verify(const MemoEntry& entry, const LateResponses& late, const SimState& before, const SimState& after,
              KernelStates& states, engine::Channels& channels);

  std::int64_t verified() const { return verified_; }

 private:
  const Setting& setting_;
  std::int64_t intervals_;
  std::mt19937_64 random_;
  std::int64_t verified_ = 0;
};

}  // namespace weft::fpgpt::exact
