#pragma once

#include <vector>

#include "model/memory/config.h"
#include "model/memory/memory.h"
#include "model/memory/port.h"

namespace weft::memory {

// A memory with a fixed latency of L = ideal_latency_cycles and a full-width path of its own for every port. A read
// burst accepted in cycle t shows beat i in cycle t + 1 + L + i, or in the cycle after the port's previous beat if that
// is later. A write burst is answered L + 1 cycles after the cycle of its last W beat. Addresses do not matter; row
// events are not counted. A DMA engine's port has all beats of a burst at once, in t + 1 + L.
class IdealMemory final : public Memory {
 public:
  explicit IdealMemory(const MemoryConfig& config);
  std::unique_ptr<Memory> copy() const override { return std::make_unique<IdealMemory>(*this); }

  void reset() override;
  void send_read(PortId port, Cycles cycle, Address address, int beats) override;
  void send_write(PortId port, Cycles cycle, Address address, int beats) override;
  void send_write_beat(PortId port, Cycles cycle) override;
  void advance(Cycles cycle) override { cycle_ = cycle; }
  Cycles known_until(Cycles /*cycle*/) const override { return kNever; }
  Cycles next_read_beat(PortId port) const override { return ports_[port].returned.next_read_beat(); }
  void take_read_beat(PortId port, Cycles cycle) override { ports_[port].returned.take_read_beat(cycle); }
  Cycles next_write_response(PortId port) const override { return ports_[port].returned.next_write_response(); }
  void take_write_response(PortId port, Cycles cycle) override { ports_[port].returned.take_write_response(cycle); }
  Cycles next_event() override;
  void finish() override {}  // nothing is served later than it is sent
  PortStats stats(PortId port) override { return ports_[port].returned.stats_at(cycle_); }

  // Sets the state in which everything sent has been served except the last `beats_left` beats of a write burst.
  void resume(PortId port, Cycles cycle, int beats_left);
  PortReturn& returned(PortId port) { return ports_[port].returned; }

 private:
  struct Port {
    PortReturn returned;
    Ring<int> writes;        // beats of the bursts whose data is not complete
    std::int64_t beats = 0;  // W beats that arrived for them
  };

  void answer_complete_writes(Port& port, Cycles cycle) const;

  std::vector<Bytes> beat_bytes_;  // by port
  Cycles latency_;
  std::vector<Port> ports_;
  std::size_t kernel_ports_;  // later ports are a DMA engine's
  Cycles cycle_ = 0;
};

}  // namespace weft::memory
