#include "model/fpgpt/result.h"

namespace weft::fpgpt {

void derive(ConvolutionResult& result, const Plan& plan) {
  result.limiter = limiter(plan.beta.kind, result.activities);
  const Activities& array = result.activities[static_cast<std::size_t>(Block::Array)];
  result.pe_cycles = pe_cycles(plan, array, result.array_starved);
}

ConvolutionResult collect(const Kernel& kernel, const BlockActivities& activities, Cycles cycles,
                          const memory::Memory& memory) {
  ConvolutionResult result;
  result.cycles = cycles;
  result.activities = activities;
  result.array_starved = kernel.array.starved();
  result.overflows = kernel.array.overflows() + kernel.out.constructor_gw.overflows();
  derive(result, *kernel.plan);
  const auto port = [&](Port id, Cycles busy, Cycles wait) {
    memory::PortStats& stats = result.ports[static_cast<std::size_t>(id)];
    stats = memory.stats(port_id(id));
    stats.busy_cycles = busy;
    stats.wait_cycles = wait;
  };
  port(Port::Inp, kernel.inp.port.busy_cycles, kernel.inp.port.wait_cycles);
  port(Port::Kern, kernel.kern.port.busy_cycles, kernel.kern.port.wait_cycles);
  port(Port::Out, kernel.out.port.busy_cycles, kernel.out.port.wait_cycles);
  // The memory counts beats when it hands them on, also those to be discarded that come after the end: they count for
  // nothing (GEN-6).
  for (const Port id : {Port::Inp, Port::Kern}) {
    memory::PortStats& stats = result.ports[static_cast<std::size_t>(id)];
    stats.read_beats = stats.busy_cycles;
  }
  return result;
}

}  // namespace weft::fpgpt
