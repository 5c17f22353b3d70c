#pragma once

#include <cstdint>
#include <random>

#include "model/engine/channels.h"
#include "model/fpgpt/exact/memo_entry.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/states.h"

namespace weft::fpgpt::exact {

// Simulates some of the replayed intervals and compares.
class Verifier {
 public:
  // `intervals`: number per convolution, approximately. `seed`: of the choice.
  Verifier(const Setting& setting, std::int64_t intervals, std::uint64_t seed)
      : setting_(setting), intervals_(intervals), random_(seed) {}

  bool more() const { return verified_ < intervals_; }  // some remain to be chosen
  // Returns true if one of `strides` replayed intervals of `stride` windows is chosen, and counts it. `windows`:
  // emitted at the start of the first.
  bool chooses(std::int64_t windows, std::int64_t stride, std::int64_t strides = 1);
  // Throws Mismatch if the simulation of `entry` from `before` on does not end in `after`.
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
