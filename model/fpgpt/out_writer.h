#pragma once

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/fpgpt/encode.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/ports.h"

namespace weft::fpgpt {

// Writes the beats of OUT in bursts (A.3.5; CONTRACT.md, "Writer"). The address of a burst goes out in the cycle of its
// first beat. The convolution ends with the last write response.
class OutWriter {
 public:
  OutWriter() = default;
  explicit OutWriter(const Plan& plan) : beats_(plan) {}

  Activity step(Cycles now, const Plan& plan, Fifo& in, WritePort& port);
  // The earliest cycle >= now at which step() may answer otherwise than in now - 1, when it was not active, while `in`
  // does not change.
  Cycles quiet_until(Cycles now, const WritePort& port) const { return std::max(now, port.responses.next_visible()); }
  void relative(Relative& state, const Plan& plan, const Anchor& at) {
    beats_.relative(state, plan, at);
    // An open burst mostly ends with its page: what is left of it follows from where OUT lies.
    const Address in_page = beats_.beat() * plan.alpha.beat_bytes() % 4096;
    bool open = burst_left_ > 0;
    state.value(open);
    if (open) state.from(burst_left_, (4096 - in_page) / plan.alpha.beat_bytes());
    if (!open) burst_left_ = 0;
    state.value(address_offered_);
  }
  // A burst has been opened whose beats have not all been sent.
  bool burst_open() const { return burst_left_ > 0; }
  int burst_left() const { return burst_left_; }
  bool done(const Plan& plan, const WritePort& port) const { return beats_.done(plan) && port.outstanding == 0; }

 private:
  void open(const Plan& plan, WritePort& port);
  void send(Cycles now, const Plan& plan, Fifo& in, WritePort& port);

  OutBeats beats_;
  int burst_left_ = 0;            // beats of the open burst still to be sent
  bool address_offered_ = false;  // the open burst's address is not yet accepted
};

}  // namespace weft::fpgpt
