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
      // A credit releases a frame only if it was missing.
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
    throw Error(fmt::format(
        "link {}: the receive FIFO of {} bytes holds {} when a frame of {} bytes of image {} arrives, and "
        "plain UDP can neither delay nor resend the frame: use flow: credit, a deeper FIFO or a slower source",
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
    throw std::logic_error(fmt::format("link {}: {} bytes are taken of the {} received", name_, bytes, received_));
  }
  received_ -= bytes;
  counts_.taken += bytes;
  if (config_.flow == Flow::Credit) credits_.push_back({now + latency_, bytes});
}

namespace {

constexpr std::int64_t kBitsPsOfMbps = 8'000'000;  // a byte at 1 Mb/s, in ps
constexpr Picoseconds kLongestLatency = 1'000'000'000'000;

void check(bool allowed, const char* what, const std::string& is, const char* range) {
  if (!allowed) throw Error(fmt::format("the link's {} is {}; allowed: {}", what, is, range));
}

}  // namespace

void FramedConfig::validate() const {
  check(byte_ps > 0 && byte_ps.denominator() <= 1'000'000 && byte_ps < 1'000'000, "time of a byte",
        fmt::format("{}/{} ps", byte_ps.numerator(), byte_ps.denominator()), "more than 0 and below 1 us");
  check(payload >= 1 && payload <= 65507, "payload", fmt::format("{} bytes", payload),
        "1 to 65507, the maximum of a UDP datagram");
  check(overhead >= 0 && overhead <= 4096, "overhead", fmt::format("{} bytes", overhead), "0 to 4096");
  check(latency_ps >= 0 && latency_ps <= kLongestLatency, "latency", fmt::format("{} ps", latency_ps), "0 to 1 s");
  check(receive_bytes >= payload, "receive FIFO", fmt::format("{} bytes", receive_bytes),
        "at least the payload of a frame");
}

Rational FramedConfig::goodput_mbps() const {
  return Rational(kBitsPsOfMbps) / byte_ps * Rational(payload, payload + overhead);
}

FramedConfig ethernet(const EthernetRates& rates) {
  check(rates.mbps > 0, "rate", fmt::format("{} Mb/s", mhz(rates.mbps)), "more than 0");
  check(rates.switches >= 0 && rates.switches <= 1000, "number of switches", fmt::format("{}", rates.switches),
        "0 to 1000");
  FramedConfig config;
  config.byte_ps = Rational(kBitsPsOfMbps) / rates.mbps;
  config.latency_ps = rates.direct_ps + rates.switches * rates.per_switch_ps;
  return config;
}

FramedConfig serial(const SerialRates& rates) {
  check(rates.lane_mbps > 0, "rate of a lane", fmt::format("{} Mb/s", mhz(rates.lane_mbps)), "more than 0");
  check(rates.lanes >= 1 && rates.lanes <= 64, "number of lanes", fmt::format("{}", rates.lanes), "1 to 64");
  check(rates.pause_interval_cycles >= 2, "pause interval", fmt::format("{} cycles", rates.pause_interval_cycles),
        "at least 2");
  check(rates.latency_cycles >= 0 && rates.latency_cycles <= 1'000'000, "latency",
        fmt::format("{} cycles", rates.latency_cycles), "0 to 1000000");
  FramedConfig config;
  // 64 of 66 bits are data, in all but one cycle of an interval.
  const Rational share = Rational(64, 66) * Rational(rates.pause_interval_cycles - 1, rates.pause_interval_cycles);
  config.byte_ps = Rational(kBitsPsOfMbps) / (rates.lane_mbps * rates.lanes) / share;
  config.payload = rates.frame;
  config.overhead = kSeparatorBytes;
  config.latency_ps = ceil(Rational(66'000'000) / rates.lane_mbps * rates.latency_cycles);
  return config;
}

}  // namespace weft::ethernet
