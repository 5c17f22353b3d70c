#pragma once

#include "model/memory/memory.h"
#include "model/stream/ports.h"

namespace weft::stream {

// What the memory counted of a port, and what the port itself did of its cycles.
template <class Port>
memory::PortStats port_stats(memory::Memory& memory, memory::PortId id, const Port& port) {
  memory::PortStats stats = memory.stats(id);
  stats.busy_cycles = port.busy_cycles;
  stats.wait_cycles = port.wait_cycles;
  return stats;
}

}  // namespace weft::stream
