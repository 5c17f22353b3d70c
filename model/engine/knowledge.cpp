#include "model/engine/knowledge.h"

namespace weft::engine {

Channels& Knowledge::begin(const memory::MemoryConfig& memory, const std::vector<PortDirection>& ports,
                           std::size_t bytes) {
  bytes_ = bytes;
  if (!channels_ || !channels_->are_of(memory, ports)) {
    channels_ = std::make_unique<Channels>(memory, ports);
    shared_.forget();
  }
  if (must_trim()) keep_at_most(bytes_ / 2);
  channels_->begin_unit();
  return *channels_;
}

void Knowledge::forget_sent() {
  shared_.forget();
  if (channels_) channels_->evict_traces();
}

void Knowledge::trim(std::vector<ChannelState>& states) {
  if (!forget_some(bytes_ / 2)) channels_->forget_but(states);
}

void Knowledge::keep_at_most(std::size_t bytes) {
  if (channels_->memory() > bytes && !forget_some(bytes)) channels_->forget();
}

// Forgets until at most `bytes` are left, first the entries that are made again soonest; false if more are left.
bool Knowledge::forget_some(std::size_t bytes) {
  const auto room = [&] { return channels_->memory() <= bytes; };
  channels_->evict_summaries();
  if (!room()) channels_->evict_traces();
  if (!room()) channels_->evict_deviations();
  return room();
}

}  // namespace weft::engine
