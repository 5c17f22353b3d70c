#include "model/fpgpt/out_writer.h"

#include <algorithm>

namespace weft::fpgpt {

Activity OutWriter::step(Cycles now, const Plan& plan, Fifo& in, WritePort& port) {
  port.requested = port.beat_sent = false;
  const std::int64_t outstanding = port.outstanding;
  if (beats_.done(plan) && outstanding == 0) return Activity::Idle;
  const bool answered = port.responses.visible(now);
  const bool pending = !beats_.done(plan);
  const bool opening = burst_left_ == 0;
  const bool allowed = port.data_ready &&
                       (!opening || (port.address_ready && outstanding < plan.alpha.out_port.outstanding));
  const bool sending = pending && allowed && in.can_pop(now);
  if (answered) {
    port.responses.pop();
    --port.outstanding;
  }
  if (sending) send(now, plan, in, port);
  if (sending) {
    ++port.busy_cycles;
  } else if (outstanding > 0) {
    ++port.wait_cycles;
  }
  if (sending || answered) return Activity::Active;
  // A full memory system is a full output; waiting for the last responses is waiting for an input.
  return pending && !allowed ? Activity::Blocked : Activity::Starved;
}

void OutWriter::send(Cycles now, const Plan& plan, Fifo& in, WritePort& port) {
  const Address address = beats_.beat() * plan.alpha.beat_bytes();
  if (burst_left_ == 0) {
    burst_left_ = burst_beats(address, beats_.beats_left(), plan.alpha.out_port.max_burst_beats, plan.alpha.beat_bytes());
    port.requested = true;
    port.request = {address, burst_left_};
    ++port.outstanding;
  }
  port.beat_sent = true;
  port.beat_address = address;
  port.first_lane = beats_.first_lane();
  port.lanes = beats_.lanes();
  if (plan.with_data) port.beat.assign(in.front(), in.front() + plan.alpha.band);
  in.pop(now);
  --burst_left_;
  beats_.advance(plan);
}

}  // namespace weft::fpgpt
