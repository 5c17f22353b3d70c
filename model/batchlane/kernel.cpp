#include "model/batchlane/kernel.h"

#include <algorithm>

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

bool Kernel::moved() const {
  const auto all = last();
  for (std::size_t i = 0; i < kBlocks; ++i) {
    if (all[i] == Activity::Active && !steady(static_cast<Block>(i))) return true;
  }
  return false;
}

Cycles Kernel::quiet_until(Cycles now) const {
  return std::min({features.reader.quiet_until(now, features.read_port),
                   features.writer.quiet_until(now, features.write_port), csb.quiet_until(now, *plan, csb_port),
                   array.quiet_until(now), adder.quiet_until(now)});
}

std::string describe_deadlock(const Kernel& kernel, Cycles now) {
  const auto last = kernel.last();
  return deadlock_text(topology(), "pass", now, {last.begin(), last.end()},
                       [&](std::size_t fifo) { return kernel.fifos[static_cast<FifoId>(fifo)].depth(); });
}

}  // namespace weft::batchlane
