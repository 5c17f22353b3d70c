#include "model/fpgpt/out_writer.h"

#include <algorithm>

namespace weft::fpgpt {

Activity OutWriter::step(Cycles now, const Plan& plan, Fifo& in, WritePort& port) {
  port.requested = port.beat_sent = port.response_taken = false;
  const std::int64_t outstanding = port.outstanding;
  if (beats_.done(plan) && outstanding == 0) return Activity::Idle;
  const bool answered = port.responses.visible(now);
  const bool beat = !beats_.done(plan) && in.can_pop(now);
  const bool may_open = outstanding < plan.alpha.out_port.outstanding && !address_offered_;
  if (beat && burst_left_ == 0 && may_open) open(plan, port);
  const bool blocked =
      (beat && burst_left_ == 0) || (beat && !port.data_ready) || (address_offered_ && !port.address_ready);
  if (answered) {
    port.responses.pop();
    port.response_taken = true;
    --port.outstanding;
  }
  port.requested = address_offered_ && port.address_ready;
  if (port.requested) address_offered_ = false;
  if (beat && burst_left_ > 0 && port.data_ready) send(now, plan, in, port);
  if (port.beat_sent) {
    ++port.busy_cycles;
  } else if (outstanding > 0) {
    ++port.wait_cycles;
  }
  if (port.beat_sent || port.requested || answered) return Activity::Active;
  return blocked ? Activity::Blocked : Activity::Starved;
}

// The address is offered in the cycle of the first beat, each on its channel: neither waits for the other's READY (AXI4
// A3.3.1).
void OutWriter::open(const Plan& plan, WritePort& port) {
  const Address address = beats_.beat() * plan.alpha.beat_bytes();
  burst_left_ = burst_beats(address, beats_.beats_left(), plan.alpha.out_port.max_burst_beats, plan.alpha.beat_bytes());
  port.request = {address, burst_left_};
  ++port.outstanding;
  address_offered_ = true;
}

void OutWriter::send(Cycles now, const Plan& plan, Fifo& in, WritePort& port) {
  port.beat_sent = true;
  port.beat_address = beats_.beat() * plan.alpha.beat_bytes();
  port.first_lane = beats_.first_lane();
  port.lanes = beats_.lanes();
  if (plan.with_data) port.beat.assign(in.front(), in.front() + plan.alpha.band);
  in.pop(now);
  --burst_left_;
  beats_.advance(plan);
}

}  // namespace weft::fpgpt
