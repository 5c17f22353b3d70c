#include "model/fpgpt/exact/clocked.h"

#include <algorithm>

#include "kernels/fpgpt/fp32.h"
#include "model/core/error.h"

namespace weft::engine {

using fpgpt::Kernel;
using fpgpt::Port;
using fpgpt::port_id;

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

fpgpt::ConvolutionResult run_clocked(const fpgpt::Plan& plan, memory::Memory& memory, DataMemory* data) {
  const fpgpt::PeArithmetic arithmetic;
  Kernel kernel(std::make_shared<const fpgpt::Plan>(plan));
  fpgpt::BlockActivities activities{};
  memory.reset();
  for (Cycles now = 0;; ++now) {
    deliver(kernel, memory, now);
    kernel.inp.step(now, *kernel.plan, kernel.fifos);
    kernel.kern.step(now, *kernel.plan, kernel.fifos);
    kernel.step_array(now);
    kernel.out.step(now, *kernel.plan, kernel.fifos);
    send(kernel, memory, now, data);
    account(kernel, activities);
    if (kernel.done()) {
      memory.finish();
      return collect(kernel, activities, now + 1, memory);
    }
    const auto last = kernel.last();
    const bool moved = std::find(last.begin(), last.end(), Activity::Active) != last.end();
    if (!moved && kernel.quiet_until(now + 1) == kNever && memory.next_event() == kNever) {
      throw Deadlock(describe_deadlock(kernel, now));
    }
  }
}

}  // namespace weft::engine
