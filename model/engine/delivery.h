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

// Where a channel is.
struct ChannelState {
  std::uint32_t state = 0;
  std::int64_t row = 0;  // that rows are relative to: of the last address
  memory::Nck refresh_due = 0;
};

// What came back to one port.
struct PortDelivery {
  // Of a read port.
  ReturnQueue* read = nullptr;
  const ConsumptionSchedule* schedule = nullptr;  // what it takes of it in this trace; null: nothing is known of that
  // Of a write port: the cycles in which write responses become visible, but for those that would wait for the one
  // before them, because at most one does in a cycle.
  std::vector<Cycles> answers;
  std::array<std::int64_t, 3> rows{};  // hits, misses, conflicts
};
// To each port, as the memory numbers them.
using Delivery = std::vector<PortDelivery>;

inline void clear(Delivery& delivery) {
  for (PortDelivery& port : delivery) {
    port.answers.clear();
    port.rows = {};
  }
}

// What comes back if no beat has to wait for those before it.
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

// A port of a channel. What is kept for each of them in their order is called a lane.
struct ChannelPort {
  std::size_t port = 0;
  PortDirection direction = PortDirection::Read;
};
using ChannelPorts = std::vector<ChannelPort>;

// Some of what comes back to a lane: read beats or write responses, one a cycle from cycle `first` of a step or of some
// events on.
struct Return {
  std::int32_t lane, first, count;
};

inline constexpr std::int32_t kNotLate = std::numeric_limits<std::int32_t>::min();  // of no beats

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

// Calls visit(first cycle, count) for the runs of what came back.
template <typename Visit>
void for_each_run(const ChannelPort& port, const PortDelivery& delivery, Visit visit) {
  if (port.direction == PortDirection::Read) {
    delivery.read->for_each(visit);
  } else {
    for (const Cycles answer : delivery.answers) visit(answer, std::int64_t{1});
  }
}

}  // namespace weft::engine
