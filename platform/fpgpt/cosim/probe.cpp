#include "platform/fpgpt/cosim/probe.h"

#include "kernels/float_bits.h"

namespace weft::fpgpt {

void KernelProbe::look(const Kernel& kernel, cosim::CycleEvents& events) {
  events.fifos.resize(kFifos);
  for (std::size_t i = 0; i < kFifos; ++i) {
    const Fifo& fifo = kernel.fifos[static_cast<FifoId>(i)];
    cosim::FifoEvent& event = events.fifos[i];
    event.push = fifo.pushed() != pushed_[i];
    event.pop = fifo.popped() != popped_[i];
    pushed_[i] = fifo.pushed();
    popped_[i] = fifo.popped();
    event.words.clear();
    for (int lane = 0; event.push && lane < fifo.width(); ++lane) event.words.push_back(bits(fifo.newest()[lane]));
  }
  events.ports.assign({read(Port::Inp, kernel.inp.port), read(Port::Kern, kernel.kern.port), write(kernel.out.port)});
}

cosim::PortEvents KernelProbe::read(Port port, const stream::ReadPort& state) {
  Cycles& busy = busy_[static_cast<std::size_t>(port)];
  cosim::PortEvents events;
  events.address = state.requested;
  events.request = state.request;
  events.beat = state.busy_cycles != busy;
  busy = state.busy_cycles;
  return events;
}

cosim::PortEvents KernelProbe::write(const stream::WritePort& state) {
  cosim::PortEvents events;
  events.address = state.requested;
  events.request = state.request;
  events.response = state.response_taken;
  events.beat = state.beat_sent;
  if (state.requested) burst_left_ = state.request.beats;
  if (!state.beat_sent) return events;
  for (int lane = 0; lane < band_; ++lane) {
    events.words.push_back(bits(state.beat[static_cast<std::size_t>(lane)]));
    events.strobe.push_back(lane >= state.first_lane && lane < state.first_lane + state.lanes);
  }
  events.last = --burst_left_ == 0;
  return events;
}

}  // namespace weft::fpgpt
