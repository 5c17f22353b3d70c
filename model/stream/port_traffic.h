#pragma once

#include <cstring>

#include "model/memory/memory.h"
#include "model/memory/store.h"
#include "model/stream/ports.h"

namespace weft::stream {

// Exchange between a port and its memory in a cycle, without SystemC.

// Passes all beats or responses with a known time to a port, after the memory was advanced.
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

// Writes the words of a beat that its strobes cover to memory; a written word has 32 bits.
inline void write_beat(const Word* beat, int first_lane, int lanes, std::byte* memory) {
  std::memcpy(memory + sizeof(Word) * static_cast<std::size_t>(first_lane), beat + first_lane,
              sizeof(Word) * static_cast<std::size_t>(lanes));
}

// Passes the requests and write beats of a port in cycle `now` to the memory. `channel`: contents of the port's channel
// in data mode, nullptr in timing mode.
inline void send(memory::Memory& memory, memory::PortId id, ReadPort& port, Cycles now, memory::Store* channel) {
  if (!port.requested) return;
  memory.send_read(id, now, port.request.address, port.request.beats);
  if (channel) port.data.push_words(channel->at(port.request.address), port.request.beats);
}
inline void send(memory::Memory& memory, memory::PortId id, const WritePort& port, Cycles now, memory::Store* channel) {
  if (port.requested) memory.send_write(id, now, port.request.address, port.request.beats);
  if (!port.beat_sent) return;
  memory.send_write_beat(id, now);
  if (channel) write_beat(port.beat.data(), port.first_lane, port.lanes, channel->at(port.beat_address));
}

// Counts skipped cycles, in which nothing moves, as waiting cycles of every port that waits.
template <class Kernel>
void account_waits(Kernel& kernel, Cycles cycles) {
  kernel.for_each_port([&](memory::PortId, auto& port) {
    if (port.outstanding > 0) port.wait_cycles += cycles;
  });
}

}  // namespace weft::stream
