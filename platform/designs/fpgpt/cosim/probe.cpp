#include "platform/designs/fpgpt/cosim/probe.h"

#include <vector>

namespace weft::fpgpt {

namespace {

std::vector<int> words_of(const Plan& plan) {
  std::vector<int> words;
  for (std::size_t i = 0; i < kFifos; ++i) {
    words.push_back(fifo_width(plan.alpha, plan.beta.kind, static_cast<FifoId>(i)));
  }
  return words;
}

}  // namespace

KernelProbe::KernelProbe(const Plan& plan) : probe_(plan.alpha.band(Port::Out), words_of(plan), kPorts) {}

void KernelProbe::look(const Kernel& kernel, cosim::CycleEvents& events) {
  events.fifos.resize(kFifos);
  for (std::size_t i = 0; i < kFifos; ++i) {
    events.fifos[i] = probe_.fifo(i, kernel.fifos[static_cast<FifoId>(i)]);
  }
  const auto index = [](Port port) { return static_cast<std::size_t>(port); };
  events.ports.assign({probe_.read(index(Port::Inp), kernel.inp.port), probe_.read(index(Port::Kern), kernel.kern.port),
                       probe_.write(index(Port::Out), kernel.out.port)});
}

}  // namespace weft::fpgpt
