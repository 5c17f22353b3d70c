#include "model/engine/knowledge.h"

namespace weft::engine {

Channels& Knowledge::begin(const memory::MemoryConfig& memory, const std::vector<PortDirection>& ports,
                           std::size_t bytes) {
  bytes_ = bytes;
  if (!channels_ || !channels_->are_of(memory, ports)) {
    channels_ = std::make_unique<Channels>(memory, ports);
    shared_.forget();
  }
  if (must_trim() && !forget_some()) channels_->forget();
  channels_->begin_unit();
  return *channels_;
}

void Knowledge::forget_sent() {
  shared_.forget();
  if (channels_) channels_->forget_tapes();
}

void Knowledge::trim(std::vector<ChannelPosition>& positions) {
  if (!forget_some()) channels_->forget_but(positions);
}

// What is made again soonest goes first, until there is room for as much as is left; says whether there is.
bool Knowledge::forget_some() {
  const auto room = [this] { return channels_->memory() <= bytes_ / 2; };
  channels_->forget_passages();
  if (!room()) channels_->forget_tapes();
  if (!room()) channels_->forget_detours();
  return room();
}

}  // namespace weft::engine
