#include "model/batchlane/feature_reader.h"

#include <algorithm>
#include <cstring>

namespace weft::batchlane {

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

// Puts a beat's bytes where they belong; a transfer may begin and end within one.
void FeatureReader::take(const Plan& plan, const stream::ReadPort& port, Buffers& buffers) {
  if (!plan.with_data) return;
  const stream::Transfer transfer = next(plan);
  const Bytes behind = come_ - transfer.address % Alpha::kBeatBytes;  // of the transfer's start, where the beat begins
  const Bytes first = std::max<Bytes>(0, -behind);
  const Bytes end = std::min(Alpha::kBeatBytes, transfer.bytes - behind);
  std::int8_t* const buffer = loads_gradients(plan)
                                  ? buffers.gradients(plan.block_of(step_)).data() + output_ * plan.channel_bytes()
                                  : buffers.channel(step_).data() + of_group_ * plan.channel_bytes();
  std::memcpy(buffer + behind + first, reinterpret_cast<const std::byte*>(port.data.front()) + first,
              static_cast<std::size_t>(end - first));
  come_ += Alpha::kBeatBytes;
}

}  // namespace weft::batchlane
