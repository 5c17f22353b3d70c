#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/core/topology.h"
#include "model/engine/return_queue.h"
#include "model/memory/clock_ratio.h"

namespace weft::engine {

// State of a channel during a replay.
struct ChannelState {
  std::uint32_t state = 0;
  std::int64_t row = 0;  // of the last address; rows in the state are relative to it
  memory::Nck refresh_due = 0;
};

// Returns to one port.
struct PortDelivery {
  // Read ports only.
  ReturnQueue* read = nullptr;
  const ConsumptionSchedule* schedule = nullptr;  // in this trace; nullptr: unknown
  // Write ports only: cycles in which responses become visible. A response that waits for the one before (at most one
  // becomes visible per cycle) has its earliest cycle.
  std::vector<Cycles> answers;
  std::array<std::int64_t, 3> rows{};  // hits, misses, conflicts
};
// Indexed by the memory's port numbers.
using Delivery = std::vector<PortDelivery>;

inline void clear(Delivery& delivery) {
  for (PortDelivery& port : delivery) {
    port.answers.clear();
    port.rows = {};
  }
}

// Returns of a trace where no beat waits for earlier beats.
class UncontendedReturns {
 public:
  explicit UncontendedReturns(std::size_t ports) : read_(ports), delivery_(ports) {}
  Delivery& begin() {
    for (std::size_t port = 0; port < read_.size(); ++port) {
      read_[port].reset(kLongAgo);
      delivery_[port].read = &read_[port];
    }
    clear(delivery_);
    return delivery_;
  }
  const Delivery& delivery() const { return delivery_; }

 private:
  std::vector<ReturnQueue> read_;
  Delivery delivery_;
};

// Port of a channel. A lane is the data of one port, in the order of ChannelPorts.
struct ChannelPort {
  std::size_t port = 0;
  PortDirection direction = PortDirection::Read;
};
using ChannelPorts = std::vector<ChannelPort>;

// Run of read beats or write responses of a lane, one per cycle from cycle `first` of a step or trace on.
struct Return {
  std::int32_t lane, first, count;
};

inline constexpr std::int32_t kNotLate = std::numeric_limits<std::int32_t>::min();  // value of `late` without beats

inline void deliver(const Return& run, PortDirection direction, Cycles origin, PortDelivery& to) {
  if (direction == PortDirection::Read) {
    to.read->push(origin + run.first, run.count);
  } else {
    for (std::int32_t i = 0; i < run.count; ++i) to.answers.push_back(origin + run.first + i);
  }
}

inline void deliver(const PackedRun& run, PortDirection direction, Cycles origin, PortDelivery& to) {
  deliver(Return{0, static_cast<std::int32_t>(run.first), static_cast<std::int32_t>(run.count)}, direction, origin, to);
}

// Calls visit(first cycle, count) for each run of returns.
template <typename Visit>
void for_each_run(const ChannelPort& port, const PortDelivery& delivery, Visit visit) {
  if (port.direction == PortDirection::Read) {
    delivery.read->for_each(visit);
  } else {
    for (const Cycles answer : delivery.answers) visit(answer, std::int64_t{1});
  }
}

}  // namespace weft::engine
