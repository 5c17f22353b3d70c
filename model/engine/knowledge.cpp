#include "model/engine/knowledge.h"

namespace weft::engine {

Channels& Knowledge::begin(const memory::MemoryConfig& memory, const std::vector<PortDirection>& ports,
                           bool sum_at_once, std::size_t bytes) {
  bytes_ = bytes;
  if (!channels_ || !channels_->are_of(memory, ports, sum_at_once)) {
    channels_ = std::make_unique<Channels>(memory, ports, sum_at_once);
    shared_.forget();
  }
  if (must_trim()) channels_->forget_tapes();
  if (must_trim()) channels_->forget();
  channels_->begin_unit();
  return *channels_;
}

void Knowledge::forget_sent() {
  shared_.forget();
  if (channels_) channels_->forget_tapes();
}

void Knowledge::trim(std::vector<ChannelPosition>& positions) {
  channels_->forget_tapes();
  if (channels_->memory() > bytes_ / 4 * 3) channels_->forget_but(positions);
}

}  // namespace weft::engine
