#include "model/link/pcie_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>

#include "model/core/error.h"

namespace weft::link {

namespace {

constexpr Picoseconds kMostLatency = 1'000'000'000;  // 1 ms; see wire.h on overflow
constexpr Bytes kMostBytes = Bytes{1} << 40;

// Keeps the first fault.
class Checker {
 public:
  void require(bool holds, const char* key, std::int64_t value, const std::string& allowed) {
    if (!holds && !fault_) fault_ = {key, fmt::format("must be {}, but is {}", allowed, value)};
  }
  void one_of(const char* key, std::int64_t value, std::initializer_list<std::int64_t> allowed) {
    std::string text;
    for (const std::int64_t one : allowed) text += fmt::format("{}{}", text.empty() ? "" : ", ", one);
    require(std::find(allowed.begin(), allowed.end(), value) != allowed.end(), key, value, "one of " + text);
  }
  void within(const char* key, std::int64_t value, std::int64_t low, std::int64_t high) {
    require(value >= low && value <= high, key, value, fmt::format("between {} and {}", low, high));
  }
  const std::optional<PcieConfig::Fault>& fault() const { return fault_; }

 private:
  std::optional<PcieConfig::Fault> fault_;
};

}  // namespace

std::optional<PcieConfig::Fault> PcieConfig::find_fault() const {
  Checker check;
  check.within("generation", generation, 1, 5);
  check.one_of("lanes", lanes, {1, 2, 4, 8, 12, 16, 32});
  check.one_of("max_payload_bytes", max_payload_bytes, {128, 256, 512, 1024, 2048, 4096});
  check.one_of("max_read_request_bytes", max_read_request_bytes, {128, 256, 512, 1024, 2048, 4096});
  check.one_of("read_completion_boundary_bytes", read_completion_boundary_bytes, {64, 128});
  check.within("write_overhead_bytes", write_overhead_bytes, 0, 256);
  check.within("read_overhead_bytes", read_overhead_bytes, 1, 256);
  check.within("completion_overhead_bytes", completion_overhead_bytes, 0, 256);
  check.within("dllp_bytes", dllp_bytes, 0, 64);
  check.within("dllp_interval_bytes", dllp_interval_bytes, 2 * dllp_bytes + 1, 1 << 16);
  check.within("skp_interval_symbols", skp_interval_symbols, 1, 8192);
  check.within("skp_symbols", skp_symbols, 0, skp_interval_symbols - 1);
  check.within("posted_credits.headers", posted.headers, 0, 1 << 20);
  // The data credits must hold a full payload, or no write could ever be sent.
  check.require(posted.data == 0 || posted.data >= max_payload_bytes / 16, "posted_credits.data", posted.data,
                fmt::format("0 (no limit) or at least the {} of a full payload", max_payload_bytes / 16));
  check.within("posted_credits.data", posted.data, 0, 1 << 20);
  check.within("nonposted_credits", nonposted_headers, 0, 1 << 20);
  check.within("credit_return", credit_return_ps, 0, kMostLatency);
  check.within("read_round_trip", read_round_trip_ps, 0, kMostLatency);
  check.within("host_write_latency", host_write_latency_ps, 0, kMostLatency);
  check.within("card_write_latency", card_write_latency_ps, 0, kMostLatency);
  check.within("card_read_latency", card_read_latency_ps, 0, kMostLatency);
  check.within("dma.descriptor_bytes", dma.descriptor_bytes, 4, 4096);
  if (dma.descriptor_bytes > 0) {
    check.within("dma.descriptors_per_fetch", dma.descriptors_per_fetch, 1, 4096 / dma.descriptor_bytes);
  }
  const bool power = (dma.host_page_bytes & (dma.host_page_bytes - 1)) == 0;
  check.require(power && dma.host_page_bytes >= 4096 && dma.host_page_bytes <= kMostBytes, "dma.host_page_bytes",
                dma.host_page_bytes, "a power of two of at least 4096");
  const bool pages = dma.descriptor_max_bytes % 4096 == 0;
  check.require(pages && dma.descriptor_max_bytes >= 4096 && dma.descriptor_max_bytes <= kMostBytes,
                "dma.descriptor_max_bytes", dma.descriptor_max_bytes, "a multiple of 4096");
  check.within("dma.tags", dma.tags, 1, 1024);
  check.within("dma.buffer_bytes", dma.buffer_bytes, std::max(max_payload_bytes, max_read_request_bytes),
               Bytes{1} << 30);
  return check.fault();
}

void PcieConfig::validate() const {
  if (const auto fault = find_fault()) throw Error(fmt::format("pcie.{}: {}", fault->key, fault->message));
}

int dllp_interval_bytes(int generation, int lanes, int max_payload_bytes) {
  // (MPS + TLP overhead) * AckFactor / width + internal delay, in symbol times; AckFactor in tenths.
  constexpr int kTlpOverhead = 28;
  const bool small = max_payload_bytes <= 256;
  int ack_factor = small ? 30 : 20;
  if (lanes <= 8) ack_factor = small ? 25 : 10;
  if (lanes <= 4) ack_factor = small ? 14 : 10;
  const int internal_delay = generation == 1 ? 19 : generation == 2 ? 70 : 115;
  return (max_payload_bytes + kTlpOverhead) * ack_factor / (10 * lanes) + internal_delay;
}

bool operator==(const PcieConfig& a, const PcieConfig& b) {
  const auto all = [](const PcieConfig& p) {
    return std::tie(p.generation, p.lanes, p.max_payload_bytes, p.max_read_request_bytes,
                    p.read_completion_boundary_bytes, p.write_overhead_bytes, p.read_overhead_bytes,
                    p.completion_overhead_bytes, p.dllp_bytes, p.dllp_interval_bytes, p.skp_symbols,
                    p.skp_interval_symbols, p.posted.headers, p.posted.data, p.nonposted_headers, p.credit_return_ps,
                    p.read_round_trip_ps, p.host_write_latency_ps, p.card_write_latency_ps, p.card_read_latency_ps,
                    p.dma.descriptor_bytes, p.dma.descriptors_per_fetch, p.dma.descriptor_max_bytes,
                    p.dma.host_page_bytes, p.dma.tags, p.dma.buffer_bytes);
  };
  return all(a) == all(b);
}

}  // namespace weft::link
