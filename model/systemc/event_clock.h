#pragma once

#include <functional>
#include <systemc>

#include "model/core/units.h"

namespace weft::systemc {

// The kernel clock as an event: one timed notification per cycle, none for cycles in which nothing can move. Time is
// exact: edge k of a run lies at floor(k * 10^9 * den / num) fs after its start.
class EventClock : public sc_core::sc_module {
 public:
  EventClock(const sc_core::sc_module_name& name);

  // Asked before each edge: the next cycle in which something may happen, given that `finished` is over; kNever stops.
  std::function<Cycles(Cycles finished)> next_cycle;

  const sc_core::sc_event& tick() const { return tick_; }
  Cycles now() const { return now_; }
  // Cycle 0 begins when the simulation goes on.
  void start(Frequency frequency);

 private:
  void edge();
  sc_core::sc_time time_of(Cycles cycle) const;

  Frequency frequency_;
  Cycles now_ = -1;
  Cycles pending_ = kNever;  // the cycle that the next edge begins, once known
  sc_core::sc_time origin_;
  sc_core::sc_event edge_, tick_;
};

}  // namespace weft::systemc
