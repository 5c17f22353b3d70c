#pragma once

#include <functional>
#include <systemc>
#include <vector>

#include "model/core/frequency.h"

namespace weft::systemc {

class Stepped;

// Sets SystemC's global state: one simulation per process, in steps of 1 fs. Call it before building the first module.
void prepare_process();

// The kernel clock: one timed event per cycle, none for cycles in which nothing can move. Time is exact: edge k of a
// run is at floor(k * 10^9 / clock) fs after its start.
class EventClock : public sc_core::sc_module {
 public:
  explicit EventClock(const sc_core::sc_module_name& name);

  // Returns the next cycle in which something may happen; kNever pauses the simulation. Called after all processes of a
  // cycle in which nothing moved or stop() was called.
  std::function<Cycles(Cycles finished)> settle;
  // Called about every 2^20 cycles.
  std::function<void(Cycles now)> progress;
  // Called after all processes of every stepped cycle; may be empty. Returning false pauses the simulation.
  std::function<bool(Cycles now)> observe;

  // Adds a process that tick() steps. Processes count cycles themselves, because they and the clock run in one delta
  // cycle, in any order.
  void add(Stepped& process) { processes_.push_back(&process); }
  const sc_core::sc_event& tick() const { return tick_; }

  // Prepares a run; cycle 0 begins when the simulation continues.
  void start(Frequency frequency);
  // Reports that a process moved something in cycle `now`.
  void moved(Cycles now) { moved_ = now; }
  // Allows no further cycle before settle() was called.
  void stop();

 private:
  void edge();
  void observed();
  void follow();
  void settled();
  void pause();
  sc_core::sc_time until(Cycles cycle) const;

  Rational period_fs_ = 0;
  Cycles now_ = -1;
  Cycles moved_ = -1;
  bool stopping_ = false;
  sc_core::sc_time origin_;
  sc_core::sc_event tick_, observe_, settle_;
  std::vector<Stepped*> processes_;
};

// Process with one step per cycle. It may sleep while nothing it observes can change; the activities of its blocks are
// then those of the last cycle.
class Stepped : public sc_core::sc_module {
 public:
  Stepped(const sc_core::sc_module_name& name, EventClock& clock) : sc_module(name), clock_(clock) { clock.add(*this); }

  // Steps again from the next cycle on, because a neighbour touched a common FIFO in cycle `now`.
  void wake(Cycles now) {
    if (!asleep_) return;
    account(now - now_);
    now_ = now;
    asleep_ = false;
    woken_ = true;
    wake_.notify();
  }
  // Skips to cycle `last` + 1; the cycles before it were like the last one.
  void skip_to(Cycles last) {
    if (asleep_) return;  // counted when it wakes
    account(last - now_);
    now_ = last;
  }
  // Ends the run with cycle `last`.
  void finish(Cycles last) {
    account(last - now_);
    now_ = last;
  }
  void restart() {
    if (asleep_) {
      asleep_ = false;
      woken_ = true;
      wake_.notify();
    }
    now_ = -1;
  }

 protected:
  // Adds the activities of the blocks in their last step, `cycles` times.
  virtual void account(Cycles cycles) = 0;

  // To be called first in each activation. Returns true if the activation only ends a sleep.
  bool waking() {
    const bool woken = woken_;
    woken_ = false;
    if (!woken) ++now_;
    return woken;
  }
  void sleep() {
    asleep_ = true;
    next_trigger(wake_);
  }
  EventClock& clock() { return clock_; }
  Cycles now() const { return now_; }

 private:
  EventClock& clock_;
  Cycles now_ = -1;
  bool asleep_ = false, woken_ = false;
  sc_core::sc_event wake_;
};

}  // namespace weft::systemc
