#pragma once

#include <algorithm>
#include <cstddef>

#include "model/memory/memory.h"
#include "model/memory/store.h"
#include "model/stream/ports.h"

namespace weft::stream {

// What a port and its memory hand each other in a cycle, where no SystemC stands between them.

// Hands a port what is known to become visible to it, after the memory was advanced.
inline void deliver(memory::Memory& memory, memory::PortId id, ReadPort& port) {
  for (Cycles visible; (visible = memory.next_read_beat(id)) != kNever;) {
    memory.take_read_beat(id, visible);
    port.data.push(visible);
  }
}
inline void deliver(memory::Memory& memory, memory::PortId id, WritePort& port) {
  for (Cycles visible; (visible = memory.next_write_response(id)) != kNever;) {
    memory.take_write_response(id, visible);
    port.responses.push(visible);
  }
}

// Passes on what a port asked for and wrote in cycle `now`. `band`: words of a beat; `channel`: what the port's channel
// holds in data mode, nullptr in timing mode.
inline void send(memory::Memory& memory, memory::PortId id, ReadPort& port, Cycles now, int band,
                 memory::Store* channel) {
  if (!port.requested) return;
  memory.send_read(id, now, port.request.address, port.request.beats);
  if (!channel) return;
  const std::size_t words = static_cast<std::size_t>(port.request.beats) * static_cast<std::size_t>(band);
  port.data.push_words(channel->words(port.request.address), words);
}
inline void send(memory::Memory& memory, memory::PortId id, const WritePort& port, Cycles now, memory::Store* channel) {
  if (port.requested) memory.send_write(id, now, port.request.address, port.request.beats);
  if (!port.beat_sent) return;
  memory.send_write_beat(id, now);
  if (channel)
    std::copy_n(port.beat.begin() + port.first_lane, port.lanes, channel->words(port.beat_address) + port.first_lane);
}

}  // namespace weft::stream
