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

// What the time of a transfer went by, seen from the wire that the data is on: it is busy, or waits, and why.
enum class Bound : std::uint8_t {
  SetUp,        // before the first data TLP could be on the wire, and from the last byte on it to the end
  Wire,         // it is busy
  Tags,         // all read requests under way
  Credits,      // the host has no room
  Buffer,       // the card's data FIFO is full, or what was asked of the card's memory is not there yet
  Descriptors,  // the next ones are not there yet
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

// A duration, exactly: ticks / ticks_per_ps picoseconds.
struct ExactTime {
  std::int64_t ticks = 0;
  std::int64_t ticks_per_ps = 1;
  Picoseconds rounded_up() const { return ceil_div(ticks, ticks_per_ps); }
};

// One transfer by the DMA engine on an idle link, from the engine being started.
struct Transfer {
  ExactTime first;                            // the first byte of data is on the wire
  ExactTime end;                              // the last one is in memory
  std::array<std::int64_t, kBounds> ticks{};  // by Bound; their sum is end.ticks
  TlpCounts count;
  Bound bound = Bound::SetUp;  // the largest of `ticks`
};

// What software adds to a transfer that it asks for: constants of a host.
struct CallCost {
  Picoseconds setup_ps =
      0;  // driver and library, from the call to the engine being started and from its end to the return
  // Rate of the copy through an aligned buffer, before the transfer or after it, where the caller's is not; 0: no copy.
  std::int64_t copy_to_card_bytes_per_s = 0, copy_to_host_bytes_per_s = 0;
};

inline constexpr std::int64_t kMaxCopyRate = std::int64_t{1} << 38;

// One call: software, copy (if `copied`) and transfer, one after another; rounded up to 1 ps, once. Zero bytes cost the
// software's share. Throws Error for a rate out of range.
Picoseconds call_time(const ExactTime& transfer, Direction direction, Bytes bytes, const CallCost& cost, bool copied);

inline constexpr Bytes kMaxTransfer = Bytes{1} << 40;

enum class Stepping : std::uint8_t { Skip, Full };  // what repeats is skipped, or every TLP is gone through: alike

// `host_address`: of the first byte; only its place in a host page matters. The configuration must be valid. Throws
// Error for a negative size and for one above kMaxTransfer, or one that would take longer than can be counted
// (minutes).
Transfer simulate(const PcieConfig& config, Direction direction, Address host_address, Bytes bytes, Stepping stepping);

// A link that remembers its transfers: equal ones (direction, place of the first byte in a host page, size) take equal
// time, and those that differ in size alone begin alike. Copyable; not to be called by two threads at once.
class Link {
 public:
  explicit Link(const PcieConfig& config);  // throws Error as PcieConfig::validate does

  const PcieConfig& config() const { return config_; }

  // As simulate().
  const Transfer& transfer(Direction direction, Address host_address, Bytes bytes);

  // As call_time().
  Picoseconds time(Direction direction, Address host_address, Bytes bytes, const CallCost& cost, bool copied = false);

 private:
  struct Repeated;

  PcieConfig config_;
  std::map<std::tuple<Direction, Address, Bytes>, Transfer> known_;
  std::map<std::pair<Direction, Address>, std::shared_ptr<const Repeated>> repeated_;  // by where they begin
};

}  // namespace weft::link
