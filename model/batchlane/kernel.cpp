#include "model/batchlane/kernel.h"

#include <algorithm>
#include <memory>

#include "model/stream/ports.h"

namespace weft::batchlane {

namespace {

Fifos fifos_of(const Alpha& alpha) {
  Fifos fifos;
  for (std::size_t i = 0; i < kFifos; ++i) fifos[i] = Fifo(kFifoInfos[i].depth, 1, false);
  fifos[FifoId::Channel] = Fifo(alpha.ahead, 1, false);
  fifos[FifoId::Strip] = Fifo(alpha.strips, 1, false);
  return fifos;
}

}  // namespace

void FeatureSubsystem::step(Cycles now, const Plan& plan, Fifos& fifos, Buffers& buffers) {
  const bool free = !reader.busy() && !writer.busy();
  const bool reads = free && reader.wants(now, plan, fifos[FifoId::Channel], fifos[FifoId::Gradients]);
  const bool writes = free && writer.wants(now, plan, fifos[FifoId::Bank], fifos[FifoId::Sum]);
  const bool grant_write = writes && (!reads || !wrote_last);
  const bool grant_read = reads && !grant_write;
  if (grant_read || grant_write) wrote_last = grant_write;
  reader_last =
      reader.step(now, plan, grant_read, read_port, fifos[FifoId::Channel], fifos[FifoId::Gradients], buffers);
  writer_last = writer.step(now, plan, grant_write, write_port, fifos[FifoId::Bank], fifos[FifoId::Sum], buffers);
}

Kernel::Kernel(std::shared_ptr<const Plan> plan_of_pass)
    : plan(std::move(plan_of_pass)),
      csb(*plan),
      array(*plan),
      adder(*plan),
      fifos(fifos_of(plan->alpha)),
      buffers(*plan) {
  const stream::Lanes lanes = stream::Lanes::of_words(plan->with_data ? static_cast<int>(Alpha::kBeatBytes / 4) : 0);
  features.reader = FeatureReader(*plan);
  features.writer = ResultWriter(*plan);
  features.read_port.data = stream::BeatQueue(lanes);
  csb_port.data = stream::BeatQueue(lanes);
}

void Kernel::step_array(Cycles now) {
  const ArrayFifos neighbours{fifos[FifoId::Channel], fifos[FifoId::Strip], fifos[FifoId::Gradients],
                              fifos[FifoId::Bank], fifos[FifoId::Partial]};
  array_last = array.step(now, *plan, neighbours, buffers);
  adder_last = adder.step(now, *plan, fifos[FifoId::Partial], fifos[FifoId::Sum]);
  last_cycle = now;
}

Cycles Kernel::quiet_until(Cycles now) const {
  return std::min({features.reader.quiet_until(now, features.read_port),
                   features.writer.quiet_until(now, features.write_port), csb.quiet_until(now, *plan, csb_port),
                   array.quiet_until(now), adder.quiet_until(now)});
}

PeCycles pe_cycles_of_kernels(const Plan& plan) {
  std::int64_t products = 0, taken = 0;  // of a kernel and lane, and cycles of its PEs
  for (const Tile& tile : plan.tiles) {
    products += tile.products;
    taken += tile.cycles * plan.split;
  }
  const std::int64_t pairs = plan.kept_pairs();
  // Dense: PEs that have no channel in the last group.
  const std::int64_t without = plan.alpha.dense() ? plan.kept_kernels() * plan.alpha.group() - pairs : 0;
  PeCycles all{};
  all[static_cast<std::size_t>(PeClass::Useful)] = pairs * products * plan.layer.batch;
  all[static_cast<std::size_t>(PeClass::UnusedLanes)] = pairs * products * (plan.alpha.lanes - plan.layer.batch);
  all[static_cast<std::size_t>(PeClass::SplitRest)] =
      (pairs * (taken - products) + without * products) * plan.alpha.lanes;
  return all;
}

PassResult collect(Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory) {
  const Plan& plan = *kernel.plan;
  auto result = stream::counted<PassResult>(kernel, activities, cycles, memory);
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
  result.overflows = kernel.buffers.overflows();
  return result;
}

PassResult run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data, const stream::SteppingOptions& options,
                     Fault fault) {
  Kernel kernel(std::make_shared<const Plan>(plan));
  if (fault == Fault::PingPong) kernel.buffers.break_ping_pong();
  return stream::run_stepped(kernel, topology(), memory, data, options);
}

}  // namespace weft::batchlane
