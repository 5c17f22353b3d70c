#include "model/fpgpt/exact/clocked.h"

#include <algorithm>
#include <memory>

#include "kernels/fp32.h"
#include "model/core/error.h"
#include "model/fpgpt/drain.h"
#include "model/stream/port_traffic.h"

namespace weft::fpgpt::exact {

Clocked::Clocked(const Plan& plan, memory::Memory& memory, DataMemory* data)
    : memory_(memory), data_(data), kernel_(std::make_shared<const Plan>(plan)) {
  memory_.reset();
}

void Clocked::step() {
  const Cycles now = cycles_++;
  exact::step(kernel_, memory_, now, data_, activities_);
  if (kernel_.done()) return;
  const auto last = kernel_.last();
  const bool moved = std::find(last.begin(), last.end(), Activity::Active) != last.end();
  if (!moved && kernel_.quiet_until(now + 1) == kNever && memory_.next_event() == kNever) {
    throw Deadlock(deadlock_text(topology(), now, kernel_));
  }
}

ConvolutionResult Clocked::result() {
  const Cycles drain = drain_cycles(kernel_, memory_, cycles_);
  memory_.finish();
  ConvolutionResult result = collect(kernel_, activities_, cycles_, memory_);
  result.drain_cycles = drain;
  return result;
}

ConvolutionResult run_clocked(const Plan& plan, memory::Memory& memory, DataMemory* data) {
  const fp32::PeArithmetic arithmetic;
  Clocked clocked(plan, memory, data);
  while (!clocked.done()) clocked.step();
  return clocked.result();
}

namespace {

memory::Store* channel(DataMemory* data, Port port) {
  return data ? &data->of(port) : nullptr;
}

// Passes the requests and writes of the ports in cycle `now` to the memory.
void send(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data) {
  stream::send(memory, port_id(Port::Inp), kernel.inp.port, now, channel(data, Port::Inp));
  stream::send(memory, port_id(Port::Kern), kernel.kern.port, now, channel(data, Port::Kern));
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

}  // namespace weft::fpgpt::exact
