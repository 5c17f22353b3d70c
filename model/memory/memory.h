#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/core/units.h"
#include "model/memory/ddr4_timing.h"

namespace weft::memory {

using PortId = int;

// Counts of one port. Beats have the port's width and count when they cross the port; row events count per 64-byte
// request, once the DRAM has served it.
struct PortStats {
  std::int64_t read_beats = 0, write_beats = 0;
  std::int64_t read_bursts = 0, write_bursts = 0;
  std::int64_t row_hits = 0, row_misses = 0, row_conflicts = 0;  // open row, closed bank, other row open
  Cycles busy_cycles = 0;                                        // kernel cycles in which the port moved a data beat
  Cycles wait_cycles = 0;  // kernel cycles with a read or write outstanding and no data beat moved

  struct Field {
    const char* name;
    std::int64_t PortStats::*count;
  };
  static const std::array<Field, 9>& fields();

  PortStats& operator+=(const PortStats& other) {
    for (const Field& field : fields()) this->*field.count += other.*field.count;
    return *this;
  }
};

// Fields in the order of the struct.
inline const std::array<PortStats::Field, 9>& PortStats::fields() {
  static constexpr std::array<Field, 9> kFields{{{"read_beats", &PortStats::read_beats},
                                                 {"write_beats", &PortStats::write_beats},
                                                 {"read_bursts", &PortStats::read_bursts},
                                                 {"write_bursts", &PortStats::write_bursts},
                                                 {"row_hits", &PortStats::row_hits},
                                                 {"row_misses", &PortStats::row_misses},
                                                 {"row_conflicts", &PortStats::row_conflicts},
                                                 {"busy_cycles", &PortStats::busy_cycles},
                                                 {"wait_cycles", &PortStats::wait_cycles}}};
  return kFields;
}

// Memory behind the AXI ports of one kernel: channels, and the assignment of ports to them. Plain state machine: no
// SystemC, copyable, owns all its state. Kernel cycle k of a convolution starts at time k*T; the DRAM's first edge is
// at 0 too. Callers pass cycles. An answer in cycle k depends only on requests sent in cycles < k, so the order in
// which blocks are stepped within a cycle cannot matter:
//   - a request sent in kernel cycle k is seen at the first DRAM edge at or after (k+1)T;
//   - read data ready at DRAM time d is visible at the first kernel edge after d, plus the configured latency;
//   - beats of one port return in order, at most one becomes visible per kernel cycle;
//   - a write burst is answered when its last beat has been accepted by the controller, visible by the same rule;
//   - reads are unordered against writes; ports that share a channel are served round robin per burst.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::unique_ptr<Memory> copy() const = 0;  // in its present state

  // Restores the state at the start of a convolution: clocks zero, banks precharged, queues empty, first refresh at
  // tREFI.
  virtual void reset() = 0;

  // Send one AXI burst each; `address` is aligned to the beat, the burst does not cross 4 KB. `cycle`: that of the
  // handshake.
  virtual void send_read(PortId port, Cycles cycle, Address address, int beats) = 0;
  virtual void send_write(PortId port, Cycles cycle, Address address, int beats) = 0;  // AW
  virtual void send_write_beat(PortId port, Cycles cycle) = 0;                         // W, in the order of the AWs

  // Performs everything that becomes visible at kernel edges <= `cycle`. Requests sent in cycles >= `cycle`-1 cannot
  // influence the outcome. The cycles of successive calls must not decrease.
  virtual void advance(Cycles cycle) = 0;
  // After advance(cycle): returns a cycle, later than `cycle`, before which nothing becomes visible that is not known
  // as soon as it is sent, whatever is sent from `cycle` on; kNever if everything is known so.
  virtual Cycles known_until(Cycles cycle) const = 0;

  // After advance(cycle): the kernel cycle from which the port's next read beat (write response) is visible, which may
  // be before `cycle`; kNever if it is not known yet.
  virtual Cycles next_read_beat(PortId port) const = 0;
  virtual void take_read_beat(PortId port, Cycles cycle) = 0;
  virtual Cycles next_write_response(PortId port) const = 0;
  virtual void take_write_response(PortId port, Cycles cycle) = 0;

  // Returns the earliest kernel cycle at which advance() may make something new visible if nothing is sent meanwhile;
  // kNever if nothing is in flight. May be early, never late.
  virtual Cycles next_event() = 0;

  // Serves everything that was sent, however long it takes. To be called after the end of a convolution, so that
  // stats() includes every request.
  virtual void finish() = 0;

  virtual PortStats stats(PortId port) = 0;  // up to the last advance()

  // For waveforms: from the next reset() on, the commands of a channel's DRAM are stored until they are taken. Those of
  // edges before the last advance()'s cycle are complete. A memory without DRAM has none.
  virtual void record_commands() {}
  virtual void take_commands([[maybe_unused]] int channel, [[maybe_unused]] std::vector<IssuedCommand>& into) {}
};

}  // namespace weft::memory

namespace weft {

// Returns the number of a port of a design.
template <class Port>
constexpr memory::PortId port_id(Port port) {
  return static_cast<memory::PortId>(port);
}

}  // namespace weft
