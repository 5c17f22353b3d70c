#include "platform/cosim/probe.h"

#include "kernels/fpgpt/fp32.h"

namespace weft::cosim {

KernelProbe::KernelProbe(const fpgpt::Plan& plan) : band_(plan.alpha.band) {}

CycleEvents KernelProbe::look(const fpgpt::Kernel& k) {
  const std::array<const Fifo*, kFifos> fifos{&k.inp.beat,  &k.inp.word, &k.inp.group, &k.column,    &k.kern.beat,
                                              &k.kern.word, &k.kern_row, &k.out_row,   &k.out.group, &k.out.beat};
  CycleEvents events;
  for (std::size_t i = 0; i < kFifos; ++i) {
    FifoEvent& event = events.fifos[i];
    event.push = fifos[i]->pushed() != pushed_[i];
    event.pop = fifos[i]->popped() != popped_[i];
    pushed_[i] = fifos[i]->pushed();
    popped_[i] = fifos[i]->popped();
    for (int lane = 0; event.push && lane < fifos[i]->width(); ++lane) {
      event.words.push_back(fpgpt::bits(fifos[i]->newest()[lane]));
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
