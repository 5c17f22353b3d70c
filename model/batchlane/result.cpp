#include "model/batchlane/result.h"

namespace weft::batchlane {

PeCycles pe_cycles_of_kernels(const Plan& plan) {
  std::int64_t pixels = 0, taken = 0;  // of an output: that there are, and that its PEs have time for
  for (const Tile& tile : plan.tiles) {
    pixels += plan.pixels(tile);
    taken += ceil_div(plan.pixels(tile), plan.split) * plan.split;
  }
  const std::int64_t taps = plan.kept_kernels() * plan.taps();
  PeCycles all{};
  all[static_cast<std::size_t>(PeClass::Useful)] = taps * pixels * plan.layer.batch;
  all[static_cast<std::size_t>(PeClass::UnusedLanes)] = taps * pixels * (plan.alpha.lanes - plan.layer.batch);
  all[static_cast<std::size_t>(PeClass::SplitRest)] = taps * (taken - pixels) * plan.alpha.lanes;
  return all;
}

PassResult collect(const Kernel& kernel, const BlockActivities& activities, Cycles cycles,
                   const memory::Memory& memory) {
  const Plan& plan = *kernel.plan;
  PassResult result;
  result.cycles = cycles;
  result.activities = activities;
  result.pe_cycles = pe_cycles_of_kernels(plan);
  const auto& waited = kernel.array.waited();
  const auto put = [&](PeClass each, Wait wait) {
    result.pe_cycles[static_cast<std::size_t>(each)] =
        waited[static_cast<std::size_t>(wait)] * plan.split * plan.alpha.lanes;
  };
  put(PeClass::Imbalance, Wait::Imbalance);
  put(PeClass::StarvedChannel, Wait::Channel);
  put(PeClass::StarvedStrip, Wait::Strip);
  put(PeClass::StarvedGradients, Wait::Gradients);
  put(PeClass::BlockedBank, Wait::Bank);
  put(PeClass::Idle, Wait::Done);
  const auto port = [&](Port id, Cycles busy, Cycles wait) {
    memory::PortStats& stats = result.ports[static_cast<std::size_t>(id)];
    stats = memory.stats(port_id(id));
    stats.busy_cycles = busy;
    stats.wait_cycles = wait;
  };
  port(Port::Feature, kernel.features.read_port.busy_cycles, kernel.features.read_port.wait_cycles);
  port(Port::Csb, kernel.csb_port.busy_cycles, kernel.csb_port.wait_cycles);
  port(Port::Result, kernel.features.write_port.busy_cycles, kernel.features.write_port.wait_cycles);
  result.overflows = kernel.buffers.overflows();
  return result;
}

}  // namespace weft::batchlane
