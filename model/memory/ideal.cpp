#include "model/memory/ideal.h"

#include <algorithm>

namespace weft::memory {

IdealMemory::IdealMemory(const MemoryConfig& config)
    : latency_(config.ideal_latency_cycles),
      ports_(config.port_channel.size()),
      kernel_ports_(ports_.size() - static_cast<std::size_t>(config.dma_ports)) {
  for (std::size_t port = 0; port < ports_.size(); ++port) beat_bytes_.push_back(config.beat_bytes_of(port));
  IdealMemory::reset();
}

void IdealMemory::reset() {
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    ports_[port] = Port();
    ports_[port].returned = PortReturn(1, port < kernel_ports_);
  }
  cycle_ = 0;
}

void IdealMemory::resume(PortId port, Cycles cycle, int beats_left) {
  Port& p = ports_[port];
  p.writes.clear();
  p.beats = 0;
  if (beats_left > 0) p.writes.push(beats_left);
  std::string none;
  Relative(none, false).as(beats_left, 0);  // no read is in flight
  Relative state(none, true);
  p.returned.relative(state, cycle, p.writes.size());
  cycle_ = cycle;
}

void IdealMemory::send_read(PortId port, Cycles cycle, Address address, int beats) {
  check_burst(port, address, beats, beat_bytes_[port], 0);
  PortReturn& returned = ports_[port].returned;
  returned.begin_read(cycle, beats);
  returned.data_ready(returned.expect_beats(beats), cycle + 1 + latency_);
}

void IdealMemory::send_write(PortId port, Cycles cycle, Address address, int beats) {
  check_burst(port, address, beats, beat_bytes_[port], 0);
  ports_[port].returned.begin_write(cycle);
  ports_[port].writes.push(beats);
  answer_complete_writes(ports_[port], cycle);
}

void IdealMemory::send_write_beat(PortId port, Cycles cycle) {
  ports_[port].returned.count_write_beat(cycle);
  ++ports_[port].beats;
  answer_complete_writes(ports_[port], cycle);
}

// AW and W beats of one cycle may arrive in either order, so both call this.
void IdealMemory::answer_complete_writes(Port& port, Cycles cycle) const {
  while (!port.writes.empty() && port.beats >= port.writes.front()) {
    port.beats -= port.writes.front();
    port.writes.pop();
    port.returned.write_answered(cycle + 1 + latency_);
  }
}

Cycles IdealMemory::next_event() {
  Cycles next = kNever;
  for (const Port& port : ports_) next = std::min(next, port.returned.next_visible_after(cycle_));
  return next;
}

}  // namespace weft::memory
