#include "model/fpgpt/exact/cycle.h"

#include "model/stream/port_traffic.h"

namespace weft::fpgpt::exact {

namespace {

memory::Store* channel(DataMemory* data, Port port) {
  return data ? &data->of(port) : nullptr;
}

// Passes on what the ports asked for, and wrote, in cycle `now`.
void send_reads(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data) {
  stream::send(memory, port_id(Port::Inp), kernel.inp.port, now, channel(data, Port::Inp));
  stream::send(memory, port_id(Port::Kern), kernel.kern.port, now, channel(data, Port::Kern));
}
void send(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data) {
  send_reads(kernel, memory, now, data);
  stream::send(memory, port_id(Port::Out), kernel.out.port, now, channel(data, Port::Out));
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

void step_with_reads(Kernel& kernel, memory::Memory& memory, Cycles now, BlockActivities& activities) {
  deliver(kernel, memory, now);
  step(kernel, now, activities);
  send_reads(kernel, memory, now, nullptr);
}

}  // namespace weft::fpgpt::exact
