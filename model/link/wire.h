#pragma once

#include <cstdint>

#include "model/core/relative.h"
#include "model/link/pcie_config.h"

namespace weft::link {

// Time on a link: `per_ps` ticks are one picosecond, so a byte takes a whole number of ticks. Gen3 x16 with SKP ordered
// sets in 4 of 1538 symbol times: 8125/128 * 769/767 ps, that is 7552 ticks per picosecond, 480,625 per byte.
//
// Nothing overflows: validate() keeps a byte below 2^27 ticks and every latency below 2^53, so a page of 4 KB takes
// less than 2^61. A transfer is rejected when it reaches 2^62 (kLastTick), which is 10 minutes of the link above.
using Ticks = std::int64_t;

struct WireTime {
  Ticks per_ps = 1;
  Ticks byte = 1;

  explicit WireTime(const PcieConfig& config);
  Ticks of_ps(Picoseconds ps) const { return ps * per_ps; }
};

inline constexpr Ticks kLastTick = Ticks{1} << 62;

// One direction of the link: TLPs in sequence; ACK and UpdateFC DLLPs follow the TLP with which they are due.
class Wire {
 public:
  Wire(const PcieConfig& config, Ticks byte)
      : byte_(byte), dllp_bytes_(2 * config.dllp_bytes), interval_(config.dllp_interval_bytes - dllp_bytes_) {}

  // Sends a TLP of `bytes` not before `from`; returns the end of its last byte.
  Ticks send(Ticks from, Bytes bytes) {
    start_ = from > free_ ? from : free_;
    end_ = start_ + bytes * byte_;
    due_ += bytes;
    const std::int64_t pairs = due_ / interval_;
    due_ -= pairs * interval_;
    free_ = end_ + pairs * dllp_bytes_ * byte_;
    dllps_ += 2 * pairs;
    bytes_ += bytes + pairs * dllp_bytes_;
    return end_;
  }

  Ticks free() const { return free_; }    // earliest start of the next TLP
  Ticks start() const { return start_; }  // of the last TLP
  Ticks end() const { return end_; }
  std::int64_t dllps() const { return dllps_; }
  Bytes bytes() const { return bytes_; }
  void repeat(std::int64_t times, const Wire& since) {
    dllps_ += times * (dllps_ - since.dllps_);
    bytes_ += times * (bytes_ - since.bytes_);
  }

  // Cheap necessary condition for two states to be equal.
  bool in_step_with(const Wire& other) const { return due_ == other.due_; }

  // `accounted`: the time since the last TLP still has to be accounted for; otherwise only free() matters.
  void relative(Relative& state, Ticks now, bool accounted) {
    if (accounted) {
      state.from(free_, now);
      state.from(end_, now);
    } else {
      state.timer(free_, now);
    }
    state.value(due_);
  }

 private:
  Ticks byte_;
  std::int64_t dllp_bytes_;  // of an ACK and an UpdateFC
  std::int64_t interval_;    // bytes of TLPs between two such pairs
  Ticks free_ = 0, start_ = 0, end_ = 0;
  std::int64_t due_ = 0;  // bytes of TLPs since the last pair fell due
  std::int64_t dllps_ = 0;
  Bytes bytes_ = 0;
};

}  // namespace weft::link
