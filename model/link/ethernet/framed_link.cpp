#include "model/link/ethernet/framed_link.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/core/error.h"

namespace weft::ethernet {

FramedLink::FramedLink(std::string name, const FramedConfig& config)
    : name_(std::move(name)),
      config_(config),
      byte_(config.byte_ps.numerator()),
      latency_(config.latency_ps * config.byte_ps.denominator()),
      credit_(config.receive_bytes) {
  config_.validate();
}

Ticks FramedLink::departure() const {
  if (queue_.empty()) return kNoEvent;
  const Ticks ready = std::max(queue_.front().time, free_);
  if (config_.flow == Flow::None) return ready;
  return credit_ >= queue_.front().bytes ? std::max(ready, credit_since_) : kNoEvent;
}

Ticks FramedLink::next() const {
  Ticks next = departure();
  if (!wire_.empty()) next = std::min(next, wire_.front().time);
  if (!credits_.empty()) next = std::min(next, credits_.front().time);
  return next;
}

void FramedLink::advance(Ticks now) {
  for (Ticks at = next(); at <= now; at = next()) {
    if (!wire_.empty() && wire_.front().time == at) {
      arrive();
    } else if (!credits_.empty() && credits_.front().time == at) {
      // Only a credit that was missing holds a frame up.
      if (!queue_.empty() && credit_ < queue_.front().bytes) credit_since_ = at;
      credit_ += credits_.front().bytes;
      credits_.pop_front();
    } else {
      depart(at);
    }
  }
}

void FramedLink::depart(Ticks now) {
  Frame frame = queue_.front();
  queue_.pop_front();
  const Ticks time = (frame.bytes + config_.overhead) * byte_;
  counts_.without_credit += now - std::max(frame.time, free_);
  counts_.busy += time;
  free_ = now + time;
  frame.time = free_ + latency_;
  if (config_.flow == Flow::Credit) credit_ -= frame.bytes;
  queued_ -= frame.bytes;
  counts_.sent += frame.bytes;
  ++counts_.frames_sent;
  wire_.push_back(frame);
}

void FramedLink::arrive() {
  const Frame frame = wire_.front();
  wire_.pop_front();
  if (received_ + frame.bytes > config_.receive_bytes) {
    throw Error(
        fmt::format("link {}: its receive FIFO of {} bytes holds {} when a frame of {} bytes of image {} arrives, and "
                    "plain UDP can "
                    "neither hold it back nor send it again; allowed is flow: credit, a deeper FIFO or a slower source",
                    name_, config_.receive_bytes, received_, frame.bytes, frame.image));
  }
  received_ += frame.bytes;
  counts_.received += frame.bytes;
  ++counts_.frames_received;
  counts_.receive_high_water = std::max(counts_.receive_high_water, received_);
}

void FramedLink::close(Ticks now) {
  open_.time = now;
  queue_.push_back(open_);
  open_.bytes = 0;
}

void FramedLink::push(Ticks now, Bytes bytes, std::int64_t image, bool last) {
  advance(now);
  counts_.pushed += bytes;
  queued_ += bytes;
  counts_.send_high_water = std::max(counts_.send_high_water, queued_);
  while (bytes > 0) {
    if (open_.bytes == 0) open_.image = image;
    const Bytes part = std::min(bytes, config_.payload - open_.bytes);
    open_.bytes += part;
    bytes -= part;
    if (open_.bytes == config_.payload) close(now);
  }
  if (last && config_.flush && open_.bytes > 0) close(now);
}

void FramedLink::take(Ticks now, Bytes bytes) {
  advance(now);
  if (bytes > received_) {
    throw std::logic_error(fmt::format("link {}: {} bytes are taken of {}", name_, bytes, received_));
  }
  received_ -= bytes;
  counts_.taken += bytes;
  if (config_.flow == Flow::Credit) credits_.push_back({now + latency_, bytes});
}

}  // namespace weft::ethernet
