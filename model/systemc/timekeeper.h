#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <systemc>

#include "model/core/error.h"
#include "model/memory/memory.h"
#include "model/systemc/event_clock.h"

namespace weft::systemc {

// The cycles of a platform's run on its event clock, and what ends it.
class Timekeeper {
 public:
  // From cycle 0 on, to where the clock pauses. Throws Deadlock.
  void run(EventClock& clock, const Frequency& frequency, std::initializer_list<Stepped*> processes) {
    cycles_ = skipped_ = 0;
    deadlock_.clear();
    for (Stepped* process : processes) process->restart();
    clock.start(frequency);
    sc_core::sc_start();
    if (!deadlock_.empty()) throw Deadlock(deadlock_);
  }

  // Cycle `finished` is over.
  void reach(Cycles finished) { cycles_ = finished + 1; }

  // For EventClock::settle, of a kernel that is not done: nothing moved in the cycle reached. Nothing will until the
  // cycle that quiet_until(cycle) gives, or a beat or a response becomes visible, which the memory hands on one cycle
  // before. wait(cycles) counts those between; stuck() says who waits for what where nothing ever will.
  template <class QuietUntil, class Wait, class Stuck>
  Cycles settle(memory::Memory& memory, QuietUntil quiet_until, Wait wait, Stuck stuck) {
    const Cycles event = memory.next_event();
    const Cycles next = std::min(quiet_until(cycles_), event == kNever ? kNever : std::max(cycles_, event - 1));
    if (next == kNever) {
      deadlock_ = stuck();
      return kNever;
    }
    wait(next - cycles_);
    skipped_ += next - cycles_;
    return next;
  }

  Cycles cycles() const { return cycles_; }
  Cycles skipped() const { return skipped_; }  // of them, in which nothing could move

 private:
  Cycles cycles_ = 0;
  Cycles skipped_ = 0;
  std::string deadlock_;
};

}  // namespace weft::systemc
