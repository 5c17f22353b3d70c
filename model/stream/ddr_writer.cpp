#include "model/stream/ddr_writer.h"

namespace weft::stream {

Activity DdrWriter::step(Cycles now, const WriteLoop& loop, Fifo& in, WritePort& port) {
  port.requested = port.beat_sent = port.response_taken = false;
  const std::int64_t outstanding = port.outstanding;
  if (beats_.done(loop) && outstanding == 0) return Activity::Idle;
  const bool answered = port.responses.visible(now);
  const bool beat = !beats_.done(loop) && in.can_pop(now);
  const bool may_open = outstanding < config_.outstanding && !address_offered_;
  if (beat && burst_left_ == 0 && may_open) open(port);
  const bool blocked =
      (beat && burst_left_ == 0) || (beat && !port.data_ready) || (address_offered_ && !port.address_ready);
  if (answered) {
    port.responses.pop();
    port.response_taken = true;
    --port.outstanding;
  }
  port.requested = address_offered_ && port.address_ready;
  if (port.requested) address_offered_ = false;
  if (beat && burst_left_ > 0 && port.data_ready) send(now, loop, in, port);
  if (port.beat_sent) {
    ++port.busy_cycles;
  } else if (outstanding > 0) {
    ++port.wait_cycles;
  }
  if (port.beat_sent || port.requested || answered) return Activity::Active;
  return blocked ? Activity::Blocked : Activity::Starved;
}

// Offers the address in the cycle of the first beat, each on its channel: neither waits for the READY of the other
// (AXI4 A3.3.1).
void DdrWriter::open(WritePort& port) {
  const Address address = beats_.beat() * beat_bytes_;
  burst_left_ = burst_beats(address, beats_.beats_left(), config_.max_burst_beats, beat_bytes_);
  port.request = {address, burst_left_};
  ++port.outstanding;
  address_offered_ = true;
}

void DdrWriter::send(Cycles now, const WriteLoop& loop, Fifo& in, WritePort& port) {
  port.beat_sent = true;
  port.beat_address = beats_.beat() * beat_bytes_;
  port.first_lane = beats_.first_lane();
  port.lanes = beats_.lanes();
  if (in.with_data()) port.beat.assign(in.front(), in.front() + loop.band);
  in.pop(now);
  --burst_left_;
  beats_.advance(loop);
}

}  // namespace weft::stream
