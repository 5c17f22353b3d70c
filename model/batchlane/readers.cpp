#include "model/batchlane/readers.h"

#include <algorithm>
#include <cstring>

namespace weft::batchlane {

namespace {

int longest_burst(const Alpha& alpha) {
  return std::min(alpha.csb_port.max_burst_beats, alpha.csb_beats);
}

}  // namespace

CsbReader::CsbReader(const Plan& plan) {
  start_request(plan);
  start_unit(plan);
}

// Starts the requests of the next unit whose block has kernels.
void CsbReader::start_request(const Plan& plan) {
  for (; ask_unit_ < plan.units(); ++ask_unit_) {
    const stream::Transfer transfer = plan.csb_transfer(ask_unit_);
    if (transfer.bytes == 0) continue;
    ask_next_ = transfer.address / Alpha::kBeatBytes * Alpha::kBeatBytes;
    ask_left_ = transfer.beats(Alpha::kBeatBytes);
    return;
  }
}

void CsbReader::start_unit(const Plan& plan) {
  if (step_ == plan.steps()) return;
  const stream::Transfer transfer = plan.csb_transfer(plan.unit_of(step_));
  beats_from_ = transfer.address / Alpha::kBeatBytes * Alpha::kBeatBytes;
  come_ = transfer.bytes == 0 ? transfer.address : beats_from_;
  bytes_.clear();
}

void CsbReader::ask(const Plan& plan, stream::ReadPort& port) {
  const int beats = stream::burst_beats(ask_next_, ask_left_, longest_burst(plan.alpha), Alpha::kBeatBytes);
  port.request = {ask_next_, beats};
  port.requested = true;
  ++port.outstanding;
  burst_ends_.push_back(asked_ += beats);
  ask_next_ += beats * Alpha::kBeatBytes;
  ask_left_ -= beats;
  if (ask_left_ > 0) return;
  ++ask_unit_;
  start_request(plan);
}

Activity CsbReader::step(Cycles now, const Plan& plan, stream::ReadPort& port, Fifo& strip, Buffers& buffers) {
  port.requested = false;
  const bool waits = port.outstanding > 0;
  if (step_ == plan.steps()) return Activity::Idle;
  bool moved = false;
  // CR-2: every beat in flight or in the buffer occupies one place.
  const std::int64_t room = plan.alpha.csb_beats - (asked_ - taken_);
  const std::int64_t wanted = std::min<std::int64_t>(ask_left_, longest_burst(plan.alpha));
  if (ask_left_ > 0 && port.ready && port.outstanding < plan.alpha.csb_port.outstanding && room >= wanted) {
    ask(plan, port);
    moved = true;
  }
  const Address end = plan.strip_end_address(plan.strip(step_));
  bool blocked = false;
  if (come_ >= end) {
    if (strip.can_push(now)) {
      hand_on(plan, buffers);
      strip.push(now);
      if (++step_ % plan.streamed == 0) start_unit(plan);
      moved = true;
    } else {
      blocked = true;
    }
  } else if (port.data.visible(now)) {
    if (plan.with_data) {
      const auto* const beat = reinterpret_cast<const std::int8_t*>(port.data.front());
      bytes_.insert(bytes_.end(), beat, beat + Alpha::kBeatBytes);
    }
    port.data.pop();
    ++port.busy_cycles;
    come_ += Alpha::kBeatBytes;
    if (++taken_ == burst_ends_.front()) {
      burst_ends_.erase(burst_ends_.begin());
      --port.outstanding;
    }
    return Activity::Active;
  }
  if (waits || port.requested) ++port.wait_cycles;
  if (moved) return Activity::Active;
  return blocked ? Activity::Blocked : Activity::Starved;
}

void CsbReader::hand_on(const Plan& plan, Buffers& buffers) {
  if (!plan.with_data) return;
  const std::size_t strip = plan.strip(step_);
  const Address begin = plan.bases.csb + plan.kernel_bytes * plan.strip_begin_of(strip);
  const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(begin - beats_from_);
  buffers.strip(step_).assign(first, first + static_cast<std::ptrdiff_t>(plan.strip_end_address(strip) - begin));
}

bool FeatureReader::wants(Cycles now, const Plan& plan, const Fifo& channel, const Fifo& gradients) const {
  if (busy() || step_ == plan.steps()) return false;
  return loads_gradients(plan) ? gradients.can_push(now) : channel.can_push(now);
}

stream::Transfer FeatureReader::next(const Plan& plan) const {
  if (!loads_gradients(plan)) return plan.channel_transfer(step_, of_group_);
  return plan.gradient_transfer(plan.block_of(step_) * plan.block_outputs + output_);
}

Activity FeatureReader::step(Cycles now, const Plan& plan, bool granted, stream::ReadPort& port, Fifo& channel,
                             Fifo& gradients, Buffers& buffers) {
  if (granted) {
    transfer_.begin(next(plan));
    come_ = 0;
  }
  const bool was_busy = busy();
  const bool moved = transfer_.step(now, port, [&] { take(plan, port, buffers); });
  if (was_busy && !busy()) finish(now, plan, channel, gradients);
  if (moved) return Activity::Active;
  if (was_busy) return Activity::Starved;
  if (step_ == plan.steps()) return Activity::Idle;
  return wants(now, plan, channel, gradients) ? Activity::Starved : Activity::Blocked;
}

void FeatureReader::finish(Cycles now, const Plan& plan, Fifo& channel, Fifo& gradients) {
  if (loads_gradients(plan)) {
    if (++output_ == plan.outputs_of(plan.block_of(step_))) gradients.push(now);
    return;
  }
  if (++of_group_ < plan.channels_of(step_)) return;
  of_group_ = 0;
  channel.push(now);
  if (++step_ % plan.streamed == 0) output_ = 0;
}

// Copies the bytes of a beat to their buffer; a transfer may begin and end within a beat.
void FeatureReader::take(const Plan& plan, const stream::ReadPort& port, Buffers& buffers) {
  if (!plan.with_data) return;
  const stream::Transfer transfer = next(plan);
  const Bytes behind = come_ - transfer.address % Alpha::kBeatBytes;  // offset of the beat from the transfer's start
  const Bytes first = std::max<Bytes>(0, -behind);
  const Bytes end = std::min(Alpha::kBeatBytes, transfer.bytes - behind);
  std::int8_t* const buffer = loads_gradients(plan)
                                  ? buffers.gradients(plan.block_of(step_)).data() + output_ * plan.output_bytes()
                                  : buffers.channel(step_).data() + of_group_ * plan.channel_bytes();
  std::memcpy(buffer + behind + first, reinterpret_cast<const std::byte*>(port.data.front()) + first,
              static_cast<std::size_t>(end - first));
  come_ += Alpha::kBeatBytes;
}

}  // namespace weft::batchlane
