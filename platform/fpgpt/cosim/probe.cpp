#include "platform/fpgpt/cosim/probe.h"

#include "kernels/fpgpt/fp32.h"

namespace weft::cosim {

KernelProbe::KernelProbe(const fpgpt::Plan& plan) : band_(plan.alpha.band) {}

CycleEvents KernelProbe::look(const fpgpt::Kernel& k) {
  CycleEvents events;
  for (std::size_t i = 0; i < kFifos; ++i) {
    const Fifo& fifo = k.fifos[static_cast<fpgpt::FifoId>(i)];
    FifoEvent& event = events.fifos[i];
    event.push = fifo.pushed() != pushed_[i];
    event.pop = fifo.popped() != popped_[i];
    pushed_[i] = fifo.pushed();
    popped_[i] = fifo.popped();
    for (int lane = 0; event.push && lane < fifo.width(); ++lane) {
      event.words.push_back(fpgpt::bits(fifo.newest()[lane]));
    }
  }
  events.axi = ports(k);
  return events;
}

AxiOutputs KernelProbe::ports(const fpgpt::Kernel& k) {
  AxiOutputs out;
  out.inp_address = k.inp.port.requested;
  out.inp_request = k.inp.port.request;
  out.kern_address = k.kern.port.requested;
  out.kern_request = k.kern.port.request;
  out.inp_beat_taken = k.inp.port.busy_cycles != inp_busy_;
  out.kern_beat_taken = k.kern.port.busy_cycles != kern_busy_;
  inp_busy_ = k.inp.port.busy_cycles;
  kern_busy_ = k.kern.port.busy_cycles;
  const stream::WritePort& w = k.out.port;
  out.out_address = w.requested;
  out.out_request = w.request;
  out.response_taken = w.response_taken;
  if (w.requested) burst_left_ = w.request.beats;
  out.beat_sent = w.beat_sent;
  if (!w.beat_sent) return out;
  for (int lane = 0; lane < band_; ++lane) {
    out.beat.push_back(fpgpt::bits(w.beat[static_cast<std::size_t>(lane)]));
    out.strobe.push_back(lane >= w.first_lane && lane < w.first_lane + w.lanes);
  }
  out.last = --burst_left_ == 0;
  return out;
}

}  // namespace weft::cosim
