#include "model/stream/ddr_reader.h"

#include <algorithm>

namespace weft::stream {

DdrReader::DdrReader(const RangeLoop& loop, const PortConfig& port, Bytes beat_bytes)
    : config_(port), beat_bytes_(beat_bytes) {
  request_address_ = request_.start(loop) / loop.band * beat_bytes_;
  request_left_ = request_.read_beats(loop);
  start_receive(loop);
}

void DdrReader::start_receive(const RangeLoop& loop) {
  receive_address_ = receive_.start(loop) / loop.band * beat_bytes_;
  receive_left_ = receive_.read_beats(loop);
  useful_left_ = receive_.useful_beats(loop);
  burst_left_ = burst_beats(receive_address_, receive_left_, config_.max_burst_beats, beat_bytes_);
}

void DdrReader::send(const RangeLoop& loop, ReadPort& port) {
  const int beats = burst_beats(request_address_, request_left_, config_.max_burst_beats, beat_bytes_);
  port.requested = true;
  port.request = {request_address_, beats};
  ++port.outstanding;
  port.beats_left += beats;
  request_left_ -= beats;
  request_address_ += beats * beat_bytes_;
  if (request_left_ > 0) return;
  request_.advance(loop);
  if (request_.done(loop)) return;
  request_address_ = request_.start(loop) / loop.band * beat_bytes_;
  request_left_ = request_.read_beats(loop);
}

void DdrReader::receive(Cycles now, const RangeLoop& loop, ReadPort& port, Fifo& out) {
  if (useful_left_ > 0) {
    Word* const token = out.push(now);
    if (token) std::copy_n(port.data.front(), out.width(), token);
    --useful_left_;
  }
  port.data.pop();
  --port.beats_left;
  receive_address_ += beat_bytes_;
  --receive_left_;
  if (--burst_left_ == 0) {
    --port.outstanding;
    burst_left_ = burst_beats(receive_address_, receive_left_, config_.max_burst_beats, beat_bytes_);
  }
  if (receive_left_ > 0) return;
  receive_.advance(loop);
  if (!receive_.done(loop)) start_receive(loop);
}

void DdrReader::pass(std::int64_t beats, ReadPort& port) {
  port.requested = false;
  port.data.pop(beats);
  port.beats_left -= beats;
  port.busy_cycles += beats;
  useful_left_ = std::max<std::int64_t>(useful_left_ - beats, 0);
  receive_address_ += beats * beat_bytes_;
  receive_left_ -= beats;
  burst_left_ -= static_cast<int>(beats);
}

Activity DdrReader::step(Cycles now, const RangeLoop& loop, ReadPort& port, Fifo& out) {
  port.requested = false;
  if (receive_.done(loop)) return Activity::Idle;
  // Both parts decide on the state at the start of the cycle: a burst that ends now frees its place for the next cycle.
  const bool sending = may_ask(loop, port) && port.ready;
  const bool visible = port.data.visible(now);
  const bool blocked = visible && useful_left_ > 0 && !out.can_push(now);
  if (port.outstanding > 0) ++(visible && !blocked ? port.busy_cycles : port.wait_cycles);
  if (visible && !blocked) receive(now, loop, port, out);
  if (sending) send(loop, port);
  if (sending || (visible && !blocked)) return Activity::Active;
  return blocked ? Activity::Blocked : Activity::Starved;
}

Cycles DdrReader::quiet_until(Cycles now, const RangeLoop& loop, const ReadPort& port, const Fifo& out) const {
  if (receive_.done(loop)) return kNever;
  if (may_ask(loop, port)) return now;
  const bool was_blocked = port.data.visible(now - 1) && useful_left_ > 0 && !out.can_push(now);
  if (was_blocked) return kNever;
  return std::max(now, port.data.next_visible());
}

// Saves the state without addresses, which follow from the ranges and their remaining beats.
void DdrReader::relative(Relative& state, const RangeLoop& loop, std::int64_t first_range) {
  relative_receiving(state, loop, first_range);
  request_.relative(state, loop, first_range);
  state.value(request_left_);
  state.value(burst_left_);
  if (state.loading() && !request_.done(loop)) request_address_ = address(request_, request_left_, loop);
}

void DdrReader::relative_receiving(Relative& state, const RangeLoop& loop, std::int64_t first_range) {
  receive_.relative(state, loop, first_range);
  state.value(receive_left_);
  state.value(useful_left_);
  if (state.loading() && !receive_.done(loop)) receive_address_ = address(receive_, receive_left_, loop);
}

Address DdrReader::address(const RangeCursor& range, std::int64_t left, const RangeLoop& loop) const {
  return (range.start(loop) / loop.band + range.read_beats(loop) - left) * beat_bytes_;
}

Activity Decode::step(Cycles now, const RangeLoop& loop, Fifo& in, Fifo& out) {
  if (words_.done(loop)) return Activity::Idle;
  if (!out.can_push(now)) return Activity::Blocked;
  if (!in.can_pop(now)) return Activity::Starved;
  if (Word* const token = out.push(now)) {
    std::copy_n(in.front() + words_.offset(), words_.count(), token);
    std::fill(token + words_.count(), token + out.width(), Word{});
  }
  in.pop(now);
  words_.advance(loop);
  return Activity::Active;
}

}  // namespace weft::stream
