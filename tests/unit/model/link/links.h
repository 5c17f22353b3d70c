#pragma once

#include <algorithm>
#include <initializer_list>
#include <random>

#include "model/link/link.h"
#include "model/link/pcie_config.h"

namespace weft::link {

// A link for hand calculation: 2.5 GT/s on four lanes are one byte per nanosecond; no DLLPs, no SKP, every latency a
// round number and unlimited credits.
inline constexpr Picoseconds kNs = 1000;

inline PcieConfig hand_link() {
  PcieConfig c;
  c.generation = 1;
  c.lanes = 4;
  c.dllp_bytes = 0;
  c.skp_symbols = 0;
  c.read_round_trip_ps = 1000 * kNs;
  c.host_write_latency_ps = 200 * kNs;
  c.card_write_latency_ps = 100 * kNs;
  c.card_read_latency_ps = 50 * kNs;
  return c;
}

class RandomLink {
 public:
  explicit RandomLink(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + below(static_cast<std::int64_t>(values.size())));
  }
  Direction direction() { return one_of({Direction::HostToCard, Direction::CardToHost}); }
  Address host_address() { return one_of<Address>({0, below(4096), below(1 << 22)}); }

  // Returns any allowed configuration, with small windows and odd sizes.
  PcieConfig any() {
    PcieConfig c = wire();
    if (below(2) == 0) c.posted.headers = static_cast<int>(1 + below(100));
    if (below(2) == 0)
      c.posted.data = c.max_payload_bytes / 16 * static_cast<int>(1 + below(64)) + static_cast<int>(below(16));
    if (below(2) == 0) c.nonposted_headers = static_cast<int>(1 + below(64));
    c.dma.descriptors_per_fetch = one_of({1, 3, 8, 16, 32, 64});
    c.dma.host_page_bytes = one_of<Bytes>({4096, 4096, 8192, 65536, 2 << 20, 1 << 30});
    c.dma.descriptor_max_bytes = one_of<Bytes>({c.dma.descriptor_max_bytes, 4096, 40960});
    c.dma.tags = static_cast<int>(1 + below(64));
    c.dma.buffer_bytes = one_of<Bytes>({4096, 8192, 16384, 40000, 65536, 131072});
    return c;
  }

  // Returns a configuration as boards have it: windows of at least 16 KB.
  PcieConfig usual() {
    constexpr int kWindow = 16384;
    PcieConfig c = wire();
    if (below(2) == 0) c.posted.headers = kWindow / c.max_payload_bytes + static_cast<int>(below(100));
    if (below(2) == 0)
      c.posted.data = (kWindow / c.max_payload_bytes + static_cast<int>(below(64))) * c.max_payload_bytes / 16;
    if (below(2) == 0) c.nonposted_headers = static_cast<int>(32 + below(64));
    c.dma.descriptors_per_fetch = one_of({8, 16, 32, 64});
    c.dma.host_page_bytes = one_of<Bytes>({4096, 4096, 4096, 2 << 20});
    c.dma.tags = std::max<int>(kWindow / c.max_read_request_bytes, 16) + static_cast<int>(below(57));
    c.dma.buffer_bytes = one_of<Bytes>({16384, 32768, 40000, 65536, 131072});
    return c;
  }

 private:
  PcieConfig wire() {
    PcieConfig c;
    c.generation = one_of({1, 2, 3, 3, 3, 4, 5});
    c.lanes = one_of({1, 2, 4, 8, 12, 16, 16, 16, 32});
    c.max_payload_bytes = one_of({128, 256, 256, 512, 1024});
    c.max_read_request_bytes = one_of({128, 256, 512, 512, 1024, 2048, 4096});
    c.read_completion_boundary_bytes = one_of({64, 128});
    c.dllp_interval_bytes = dllp_interval_bytes(c.generation, c.lanes, c.max_payload_bytes);
    c.credit_return_ps = 100'000 + below(1'000'000);
    c.read_round_trip_ps = 300'000 + below(2'000'000);
    c.host_write_latency_ps = below(1'000'000);
    c.card_write_latency_ps = below(500'000);
    c.card_read_latency_ps = below(500'000);
    return c;
  }

  std::mt19937_64 random_;
};

}  // namespace weft::link
