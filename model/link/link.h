#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "model/core/units.h"
#include "model/link/pcie_config.h"

namespace weft::link {

enum class Direction : std::uint8_t { HostToCard, CardToHost };  // H2C, C2H

// Use of the time of a transfer, as seen on the wire of its data: busy, or waiting by reason.
enum class Bound : std::uint8_t {
  SetUp,        // before the first data TLP can be on the wire, and from its last byte to the end
  Wire,         // busy
  Tags,         // all read requests are in flight
  Credits,      // the host has no room
  Buffer,       // the card's data FIFO is full, or requested data of the card's memory is missing
  Descriptors,  // the next descriptors are missing
};
inline constexpr std::size_t kBounds = 6;
const char* to_string(Bound bound);

// TLPs and DLLPs by kind. `upstream`: from the card to the host.
struct TlpCounts {
  std::int64_t reads = 0, completions = 0, writes = 0;            // MRd, CplD, MWr of data
  std::int64_t descriptor_reads = 0, descriptor_completions = 0;  // MRd, CplD of descriptors
  std::int64_t upstream_dllps = 0, downstream_dllps = 0;
  Bytes upstream_bytes = 0, downstream_bytes = 0;  // on the wire: payload in whole double words, overheads, DLLPs

  std::int64_t tlps() const { return reads + completions + writes + descriptor_reads + descriptor_completions; }
};

// An exact duration: ticks / ticks_per_ps picoseconds.
struct ExactTime {
  std::int64_t ticks = 0;
  std::int64_t ticks_per_ps = 1;
  Picoseconds rounded_up() const { return ceil_div(ticks, ticks_per_ps); }
};

// One transfer of the DMA engine on an idle link, from the start of the engine.
struct Transfer {
  ExactTime first;                            // first data byte on the wire
  ExactTime end;                              // last data byte in memory
  std::array<std::int64_t, kBounds> ticks{};  // by Bound; their sum is end.ticks
  TlpCounts count;
  Bound bound = Bound::SetUp;  // the largest of `ticks`
};

// Software cost of a transfer: constants of a host.
struct CallCost {
  Picoseconds setup_ps =
      0;  // driver and library: from the call to the start of the engine, and from its end to the return
  // Rate of the copy through an aligned buffer, before or after a transfer of unaligned data; 0: no copy.
  std::int64_t copy_to_card_bytes_per_s = 0, copy_to_host_bytes_per_s = 0;
};

inline constexpr std::int64_t kMaxCopyRate = std::int64_t{1} << 38;

// Time of one call: software, copy (if `copied`) and transfer in sequence, rounded up once to 1 ps. Zero bytes take
// only the software's time. Throws Error for a rate out of range.
Picoseconds call_time(const ExactTime& transfer, Direction direction, Bytes bytes, const CallCost& cost, bool copied);

inline constexpr Bytes kMaxTransfer = Bytes{1} << 40;

enum class Stepping : std::uint8_t { Skip, Full };  // Skip: skips repetitions; Full: simulates every TLP. Equal results

// `host_address`: address of the first byte; only its offset in a host page matters. The configuration must be valid.
// Throws Error for a negative size, a size above kMaxTransfer, or a transfer too long to count (minutes).
Transfer simulate(const PcieConfig& config, Direction direction, Address host_address, Bytes bytes, Stepping stepping);

// A link that caches transfers. Transfers of equal direction, offset in a host page and size have equal times; those
// that differ only in size share their beginning. Copyable; not thread-safe.
class Link {
 public:
  explicit Link(const PcieConfig& config);  // throws Error as PcieConfig::validate does

  const PcieConfig& config() const { return config_; }

  // Same as simulate().
  const Transfer& transfer(Direction direction, Address host_address, Bytes bytes);

  // Same as call_time().
  Picoseconds time(Direction direction, Address host_address, Bytes bytes, const CallCost& cost, bool copied = false);

 private:
  struct Repeated;

  PcieConfig config_;
  std::map<std::tuple<Direction, Address, Bytes>, Transfer> known_;
  std::map<std::pair<Direction, Address>, std::shared_ptr<const Repeated>> repeated_;  // by direction and start
};

}  // namespace weft::link
