#include "model/systemc/event_clock.h"

namespace weft::systemc {

using sc_core::sc_time;

namespace {

constexpr Cycles kProgressMask = (Cycles{1} << 20) - 1;

}  // namespace

EventClock::EventClock(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_HAS_PROCESS(EventClock);
  SC_METHOD(edge);
  sensitive << tick_;
  dont_initialize();
  SC_METHOD(observed);
  sensitive << observe_;
  dont_initialize();
  SC_METHOD(settled);
  sensitive << settle_;
  dont_initialize();
}

void EventClock::start(Frequency frequency) {
  period_fs_ = 1'000'000'000 / frequency;
  now_ = moved_ = -1;
  stopping_ = false;
  origin_ = sc_core::sc_time_stamp();
  for (Stepped* process : processes_) process->restart();
  tick_.notify(sc_core::SC_ZERO_TIME);
}

void EventClock::stop() {
  stopping_ = true;
  if (observe) return;  // observed() follows
  tick_.cancel();       // if this cycle's edge() has run already
  settle_.notify(sc_core::SC_ZERO_TIME);
}

sc_time EventClock::until(Cycles cycle) const {
  // Whole groups of cycles, which last whole femtoseconds, are converted first, so that only time itself can overflow.
  const Cycles group = period_fs_.denominator(), whole = cycle / group, rest = cycle % group;
  const std::int64_t femtoseconds = whole * period_fs_.numerator() + rest * period_fs_.numerator() / group;
  return origin_ + sc_time::from_value(static_cast<sc_dt::uint64>(femtoseconds)) - sc_core::sc_time_stamp();
}

void EventClock::edge() {
  ++now_;
  if (progress && (now_ & kProgressMask) == 0) progress(now_);
  if (observe) {
    observe_.notify(sc_core::SC_ZERO_TIME);
  } else {
    follow();
  }
}

void EventClock::observed() {
  if (observe(now_)) {
    follow();
  } else {
    pause();
  }
}

void EventClock::follow() {
  // If something moved in the last cycle, or already in this one, the next cycle is stepped without waiting for the
  // other processes of this cycle.
  if (moved_ >= now_ - 1 && !stopping_) {
    tick_.notify(until(now_ + 1));
  } else {
    settle_.notify(sc_core::SC_ZERO_TIME);
  }
}

void EventClock::settled() {
  const Cycles next = moved_ == now_ && !stopping_ ? now_ + 1 : settle(now_);
  if (next == kNever) return pause();
  if (next > now_ + 1) {
    for (Stepped* process : processes_) process->skip_to(next - 1);
    now_ = next - 1;
  }
  tick_.notify(until(next));
}

void EventClock::pause() {
  for (Stepped* process : processes_) process->finish(now_);
  sc_core::sc_pause();
}

void prepare_process() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

}  // namespace weft::systemc

// libsystemc.so refers to this symbol; programs with their own main() never call it.
int sc_main(int, char**) {
  return 0;
}
