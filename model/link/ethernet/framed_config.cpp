#include "model/link/ethernet/framed_config.h"

#include <fmt/core.h>

#include "model/core/error.h"

namespace weft::ethernet {
namespace {

constexpr std::int64_t kBitsPsOfMbps = 8'000'000;  // a byte at 1 Mb/s, in ps
constexpr Picoseconds kLongestLatency = 1'000'000'000'000;

void check(bool allowed, const char* what, const std::string& is, const char* range) {
  if (!allowed) throw Error(fmt::format("the link's {} is {}, allowed is {}", what, is, range));
}

}  // namespace

void FramedConfig::validate() const {
  check(byte_ps > 0 && byte_ps.denominator() <= 1'000'000 && byte_ps < 1'000'000, "time of a byte",
        fmt::format("{}/{} ps", byte_ps.numerator(), byte_ps.denominator()), "more than 0 and below 1 us");
  check(payload >= 1 && payload <= 65507, "payload", fmt::format("{} bytes", payload),
        "1 to 65507, the most of a UDP datagram");
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
  // 64 of 66 bits are data, in all cycles of an interval but one.
  const Rational share = Rational(64, 66) * Rational(rates.pause_interval_cycles - 1, rates.pause_interval_cycles);
  config.byte_ps = Rational(kBitsPsOfMbps) / (rates.lane_mbps * rates.lanes) / share;
  config.payload = rates.frame;
  config.overhead = kSeparatorBytes;
  config.latency_ps = ceil(Rational(66'000'000) / rates.lane_mbps * rates.latency_cycles);
  return config;
}

}  // namespace weft::ethernet
