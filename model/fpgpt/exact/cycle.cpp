#include "model/fpgpt/exact/cycle.h"

#include "model/stream/port_traffic.h"

namespace weft::fpgpt::exact {

namespace {

// Passes on what the ports asked for and wrote in cycle `now`.
void send(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data) {
  const auto channel = [data](Port port) { return data ? &data->of(port) : nullptr; };
  stream::send(memory, port_id(Port::Inp), kernel.inp.port, now, channel(Port::Inp));
  stream::send(memory, port_id(Port::Kern), kernel.kern.port, now, channel(Port::Kern));
  stream::send(memory, port_id(Port::Out), kernel.out.port, now, channel(Port::Out));
}

}  // namespace

void deliver(Kernel& kernel, memory::Memory& memory, Cycles now) {
  memory.advance(now);
  stream::deliver(memory, port_id(Port::Inp), kernel.inp.port);
  stream::deliver(memory, port_id(Port::Kern), kernel.kern.port);
  stream::deliver(memory, port_id(Port::Out), kernel.out.port);
}

void step(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data, BlockActivities& activities) {
  deliver(kernel, memory, now);
  step(kernel, now, activities);
  send(kernel, memory, now, data);
}

}  // namespace weft::fpgpt::exact
