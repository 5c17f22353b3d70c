#include "model/systemc/event_clock.h"

namespace weft::systemc {

using sc_core::sc_time;

EventClock::EventClock(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_HAS_PROCESS(EventClock);
  SC_METHOD(edge);
  sensitive << edge_;
  dont_initialize();
}

void EventClock::start(Frequency frequency) {
  frequency_ = frequency;
  now_ = -1;
  pending_ = kNever;
  origin_ = sc_core::sc_time_stamp();
  edge_.notify(sc_core::SC_ZERO_TIME);
}

sc_time EventClock::time_of(Cycles cycle) const {
  // 1 MHz has a period of 10^9 fs. Whole multiples of `num` cycles first, so that nothing overflows before time itself
  // does.
  const Cycles whole = cycle / frequency_.num, rest = cycle % frequency_.num;
  const std::int64_t femtoseconds =
      whole * 1'000'000'000 * frequency_.den + rest * 1'000'000'000 * frequency_.den / frequency_.num;
  return origin_ + sc_time::from_value(static_cast<sc_dt::uint64>(femtoseconds));
}

void EventClock::edge() {
  if (pending_ == kNever) {
    const Cycles next = now_ < 0 ? 0 : next_cycle(now_);
    if (next == kNever) {
      sc_core::sc_pause();
      return;
    }
    pending_ = next;
    if (next > now_ + 1) {
      edge_.notify(time_of(next) - sc_core::sc_time_stamp());
      return;
    }
  }
  now_ = pending_;
  pending_ = kNever;
  tick_.notify(sc_core::SC_ZERO_TIME);
  edge_.notify(time_of(now_ + 1) - sc_core::sc_time_stamp());
}

}  // namespace weft::systemc
