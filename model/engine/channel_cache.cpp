#include "model/engine/channel_cache.h"

#include <algorithm>

#include "model/memory/mig_clocks.h"

namespace weft::engine {

std::shared_ptr<memory::MigClocks> ChannelCache::clocks(const memory::MemoryConfig& memory, std::size_t bytes) {
  using memory::MigClocks;
  if (memory.kind != memory::MemoryKind::ddr4 || memory.ddr4.controller != memory::ControllerKind::mig) return nullptr;
  MigClocks::Limits limits;
  // When they are full, each channel begins anew by itself.
  const std::size_t of_a_channel = bytes / static_cast<std::size_t>(memory.channels);
  limits.states = std::min(limits.states, std::max<std::size_t>(of_a_channel / MigClocks::kBytesOfState, 1));
  const bool goes_on = clocks_ && clocks_->config() == memory.ddr4 && clocks_->limits().states == limits.states;
  if (!goes_on || clocks_->full()) clocks_ = std::make_shared<MigClocks>(memory.ddr4, limits);
  return clocks_;
}

Channels& ChannelCache::begin(const memory::MemoryConfig& memory, const std::vector<PortDirection>& ports,
                              std::size_t bytes) {
  bytes_ = bytes;
  if (!channels_ || !channels_->are_of(memory, ports)) {
    channels_ = std::make_unique<Channels>(memory, ports);
    shared_.evict();
  }
  if (must_trim()) keep_at_most(bytes_ / 2);
  channels_->begin_unit();
  return *channels_;
}

void ChannelCache::evict_traces() {
  shared_.evict();
  if (channels_) channels_->evict_traces();
}

void ChannelCache::trim(std::vector<ChannelState>& states) {
  if (!evict_until(bytes_ / 2)) channels_->evict_except(states);
}

void ChannelCache::keep_at_most(std::size_t bytes) {
  if (channels_->memory() > bytes && !evict_until(bytes)) channels_->evict();
}

// Evicts until at most `bytes` are left, the entries cheapest to rebuild first; returns false if more are left.
bool ChannelCache::evict_until(std::size_t bytes) {
  const auto room = [&] { return channels_->memory() <= bytes; };
  channels_->evict_summaries();
  if (!room()) channels_->evict_traces();
  if (!room()) channels_->evict_deviations();
  return room();
}

}  // namespace weft::engine
