#include "model/batchlane/result.h"

#include "model/stream/ports.h"

namespace weft::batchlane {

PeCycles pe_cycles_of_kernels(const Plan& plan) {
  std::int64_t pixels = 0, taken = 0;  // of an output: that there are, and that its PEs have time for
  for (const Tile& tile : plan.tiles) {
    pixels += plan.pixels(tile);
    taken += ceil_div(plan.pixels(tile), plan.split) * plan.split;
  }
  const std::int64_t taps = plan.kept_pairs() * plan.taps();
  // Dense: PEs without a channel in the last group.
  const std::int64_t without = (plan.kept_kernels() * plan.alpha.group() - plan.kept_pairs()) * plan.taps() * pixels;
  PeCycles all{};
  all[static_cast<std::size_t>(PeClass::Useful)] = taps * pixels * plan.layer.batch;
  all[static_cast<std::size_t>(PeClass::UnusedLanes)] = taps * pixels * (plan.alpha.lanes - plan.layer.batch);
  all[static_cast<std::size_t>(PeClass::SplitRest)] =
      (taps * (taken - pixels) + (plan.alpha.dense() ? without : 0)) * plan.alpha.lanes;
  return all;
}

PassResult collect(const Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory) {
  const Plan& plan = *kernel.plan;
  PassResult result;
  result.cycles = cycles;
  result.activities = activities;
  result.pe_cycles = pe_cycles_of_kernels(plan);
  const auto& waited = kernel.array.waited();
  const auto put = [&](PeClass each, Wait wait) {
    result.pe_cycles[static_cast<std::size_t>(each)] =
        waited[static_cast<std::size_t>(wait)] * plan.worker_pes * plan.alpha.lanes;
  };
  put(PeClass::Imbalance, Wait::Imbalance);
  put(PeClass::StarvedChannel, Wait::Channel);
  put(PeClass::StarvedStrip, Wait::Strip);
  put(PeClass::StarvedGradients, Wait::Gradients);
  put(PeClass::BlockedBank, Wait::Bank);
  put(PeClass::Idle, Wait::Done);
  const auto put_port = [&](Port id, const auto& port) {
    result.ports[static_cast<std::size_t>(id)] = stream::port_stats(memory, port_id(id), port);
  };
  put_port(Port::Feature, kernel.features.read_port);
  put_port(Port::Csb, kernel.csb_port);
  put_port(Port::Result, kernel.features.write_port);
  result.overflows = kernel.buffers.overflows();
  return result;
}

}  // namespace weft::batchlane
