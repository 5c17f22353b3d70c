#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/engine/consumption_schedule.h"
#include "model/engine/request_trace.h"
#include "model/fpgpt/exact/lookahead.h"
#include "model/fpgpt/kernel.h"
#include "model/memory/memory.h"

namespace weft::fpgpt::exact {

// How long a step is made that is not known yet: the fewer come again, the less is lost by longer ones, of which fewer
// are to be looked up and kept. The results do not depend on it.
class StepLength {
 public:
  static constexpr int kMost = 4;  // strides

  // A power of two up to kMost.
  int strides() const { return strides_; }
  int longest() const { return longest_; }
  // Whether the step that was asked for was known.
  void met(bool known) {
    new_ += ((known ? 0 : kAll) - new_) / kSteps;
    if (strides_ < longest_ && new_ > kMany[strides_]) {
      new_ = kMany[strides_] - kAll / 8;  // a while passes before they are made longer once more
      strides_ *= 2;
    } else if (strides_ > 1 && new_ < kFew) {
      strides_ = 1;
    }
  }
  // For good: longer ones look too far. False if they are short already.
  bool shorten() {
    if (longest_ == 1) return false;
    longest_ = strides_ = 1;
    return true;
  }

 private:
  // The share of the last steps, about so many, that were new. In rtl's convolutions of GoogLeNet two strides are
  // faster than one from about 60 % on, and four than two from nearly 90 %.
  static constexpr std::int32_t kAll = 1 << 24, kSteps = 512;
  static constexpr std::int32_t kMany[] = {0, kAll / 100 * 60, kAll / 100 * 88};
  static constexpr std::int32_t kFew = kAll / 100 * 30;

  int strides_ = 1, longest_ = kMost;
  std::int32_t new_ = 0;
};

// What blocks and ports count in a step.
struct JointCounts {
  BlockActivities activities{};
  ArrayStarved array_starved{};
  std::array<memory::PortStats, kPorts> ports;
  std::int64_t uses = 0;  // that are not counted yet
};

// What a kernel and its DDR4 memory do together from an anchor to one some hundred cycles later.
struct JointStep {
  std::uint32_t next = 0;  // the state after it
  std::int32_t cycles = 0, windows = 0;
  JointCounts* counts = nullptr;
  struct Channel {
    std::int32_t rows = 0, refreshes = 0;  // how far its row and its next refresh move on
    friend bool operator==(const Channel& a, const Channel& b) {
      return a.rows == b.rows && a.refreshes == b.refreshes;
    }
  };
  std::array<Channel, kPorts> channels;  // of those that are joined, by the channel
  // Of those that stand aside: what they are sent; and when the responses to that are visible, if they take every beat
  // as it comes, in cycles from the start.
  std::array<const engine::RequestTrace*, kPorts> traces{};
  std::vector<engine::Run> answers;
  Footprint footprint;
};

}  // namespace weft::fpgpt::exact
