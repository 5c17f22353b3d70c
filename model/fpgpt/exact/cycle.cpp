#include "model/fpgpt/exact/cycle.h"

#include <algorithm>

namespace weft::fpgpt::exact {

namespace {

// Passes on what the ports asked for and wrote in cycle `now`.
void send(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data) {
  const auto read = [&](Port id, stream::ReadPort& port) {
    if (!port.requested) return;
    memory.send_read(port_id(id), now, port.request.address, port.request.beats);
    if (!data) return;
    const std::size_t words = static_cast<std::size_t>(port.request.beats) * kernel.plan->alpha.band;
    port.data.push_words(data->of(id).words(port.request.address), words);
  };
  read(Port::Inp, kernel.inp.port);
  read(Port::Kern, kernel.kern.port);
  stream::WritePort& out = kernel.out.port;
  if (out.requested) memory.send_write(port_id(Port::Out), now, out.request.address, out.request.beats);
  if (!out.beat_sent) return;
  memory.send_write_beat(port_id(Port::Out), now);
  if (data) {
    std::copy_n(out.beat.begin() + out.first_lane, out.lanes,
                data->of(Port::Out).words(out.beat_address) + out.first_lane);
  }
}

}  // namespace

void deliver(Kernel& kernel, memory::Memory& memory, Cycles now) {
  memory.advance(now);
  const auto read = [&](Port id, stream::ReadPort& port) {
    for (Cycles visible; (visible = memory.next_read_beat(port_id(id))) != kNever;) {
      memory.take_read_beat(port_id(id), visible);
      port.data.push(visible);
    }
  };
  read(Port::Inp, kernel.inp.port);
  read(Port::Kern, kernel.kern.port);
  for (Cycles visible; (visible = memory.next_write_response(port_id(Port::Out))) != kNever;) {
    memory.take_write_response(port_id(Port::Out), visible);
    kernel.out.port.responses.push(visible);
  }
}

void step(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data, BlockActivities& activities) {
  deliver(kernel, memory, now);
  step(kernel, now, activities);
  send(kernel, memory, now, data);
}

}  // namespace weft::fpgpt::exact
