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

// Length of new steps. The more steps are new, the less is lost by longer ones. Results do not depend on it.
class StepLength {
 public:
  static constexpr int kMost = 4;  // strides

  // Power of two, up to kMost.
  int strides() const { return strides_; }
  int longest() const { return longest_; }
  // Adds a look-up to the statistics.
  void met(bool known) {
    new_ += ((known ? 0 : kAll) - new_) / kSteps;
    if (strides_ < longest_ && new_ > kMany[strides_]) {
      new_ = kMany[strides_] - kAll / 8;  // delays the next increase
      strides_ *= 2;
    } else if (strides_ > 1 && new_ < kFew) {
      strides_ = 1;
    }
  }
  // Limits steps to one stride, when longer ones exceed the look-ahead limit; returns false if they were so already.
  bool shorten() {
    if (longest_ == 1) return false;
    longest_ = strides_ = 1;
    return true;
  }

 private:
  // Moving average of the share of new steps over about kSteps steps. In rtl's convolutions of GoogLeNet two strides
  // are faster than one above about 60 %, four than two above nearly 90 %.
  static constexpr std::int32_t kAll = 1 << 24, kSteps = 512;
  static constexpr std::int32_t kMany[] = {0, kAll / 100 * 60, kAll / 100 * 88};
  static constexpr std::int32_t kFew = kAll / 100 * 30;

  int strides_ = 1, longest_ = kMost;
  std::int32_t new_ = 0;
};

// Counts of blocks and ports in a step.
struct JointCounts {
  BlockActivities activities{};
  ArrayStarved array_starved{};
  std::array<memory::PortStats, kPorts> ports;
  std::int64_t uses = 0;  // not yet added to the counts
};

// Effect of some hundred cycles of kernel and DDR4 memory.
struct JointStep {
  std::uint32_t next = 0;  // joint state
  std::int32_t cycles = 0, windows = 0;
  JointCounts* counts = nullptr;
  struct Channel {
    std::int32_t rows = 0, refreshes = 0;  // advance of the last row and of the next refresh
    friend bool operator==(const Channel& a, const Channel& b) {
      return a.rows == b.rows && a.refreshes == b.refreshes;
    }
  };
  std::array<Channel, kPorts> channels;  // joint ones, by channel
  // Decoupled channels: their requests, and the visible cycles of the responses, from the start of the step, if the
  // memory accepts every beat at once.
  std::array<const engine::RequestTrace*, kPorts> traces{};
  std::vector<engine::Run> answers;
  Footprint footprint;
};

}  // namespace weft::fpgpt::exact
