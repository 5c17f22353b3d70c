#include "model/fpgpt/result.h"

#include "model/stream/ports.h"

namespace weft::fpgpt {

void derive(ConvolutionResult& result, const Plan& plan) {
  result.limiter = limiter(plan.beta.kind, result.activities);
  const Activities& array = result.activities[static_cast<std::size_t>(Block::Array)];
  result.pe_cycles = pe_cycles(plan, array, result.array_starved);
}

ConvolutionResult collect(const Kernel& kernel, const BlockActivities& activities, Cycles cycles,
                          memory::Memory& memory) {
  ConvolutionResult result;
  result.cycles = cycles;
  result.activities = activities;
  result.array_starved = kernel.array.starved();
  result.overflows = kernel.array.overflows() + kernel.out.constructor_gw.overflows();
  derive(result, *kernel.plan);
  const auto put_port = [&](Port id, const auto& port) {
    result.ports[static_cast<std::size_t>(id)] = stream::port_stats(memory, port_id(id), port);
  };
  put_port(Port::Inp, kernel.inp.port);
  put_port(Port::Kern, kernel.kern.port);
  put_port(Port::Out, kernel.out.port);
  // The memory counts beats when it hands them on, also those to be discarded that come after the end: they count for
  // nothing (GEN-6).
  for (const Port id : {Port::Inp, Port::Kern}) {
    memory::PortStats& stats = result.ports[static_cast<std::size_t>(id)];
    stats.read_beats = stats.busy_cycles;
  }
  return result;
}

}  // namespace weft::fpgpt
