#pragma once

#include <functional>
#include <systemc>
#include <vector>

#include "model/core/frequency.h"

namespace weft::systemc {

class Stepped;

// Before the first module of a process is built: SystemC keeps one simulation a process, in steps of 1 fs.
void prepare_process();

// The kernel clock as one timed event per cycle, and none for cycles in which nothing can move. Time is exact: edge k
// of a run lies at floor(k * 10^9 / clock) fs after its start.
class EventClock : public sc_core::sc_module {
 public:
  explicit EventClock(const sc_core::sc_module_name& name);

  // Asked when a cycle moved nothing or stop() was called, after all processes of that cycle: the next cycle in which
  // something may happen; kNever pauses the simulation.
  std::function<Cycles(Cycles finished)> settle;
  // Called every 2^20 cycles or so.
  std::function<void(Cycles now)> progress;
  // Called after all processes of every cycle that is stepped; empty: never. True: go on; false: pause the simulation.
  std::function<bool(Cycles now)> observe;

  // Processes that are stepped by tick(); they count cycles themselves, because all of them and the clock run in one
  // delta cycle, in any order.
  void add(Stepped& process) { processes_.push_back(&process); }
  const sc_core::sc_event& tick() const { return tick_; }

  // Cycle 0 begins when the simulation goes on.
  void start(Frequency frequency);
  // A process moved something in cycle `now`.
  void moved(Cycles now) { moved_ = now; }
  // No cycle after this one before settle() was asked.
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

// A process of one step a cycle. It may sleep while nothing it sees can change; its blocks then answer every cycle what
// they answered last.
class Stepped : public sc_core::sc_module {
 public:
  Stepped(const sc_core::sc_module_name& name, EventClock& clock) : sc_module(name), clock_(clock) { clock.add(*this); }

  // A neighbour touched a common FIFO in cycle `now`: from the next cycle on, step again.
  void wake(Cycles now) {
    if (!asleep_) return;
    account(now - now_);
    now_ = now;
    asleep_ = false;
    woken_ = true;
    wake_.notify();
  }
  // The next step is that of cycle `last` + 1; the cycles up to it were like the last one.
  void skip_to(Cycles last) {
    if (asleep_) return;  // counted when it wakes
    account(last - now_);
    now_ = last;
  }
  // The run ended with cycle `last`.
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
  // Adds what the blocks did in their last step, `cycles` times.
  virtual void account(Cycles cycles) = 0;

  // To begin each activation with: true in the one that only ends a sleep.
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
