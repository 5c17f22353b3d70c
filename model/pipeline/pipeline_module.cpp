#include "model/pipeline/pipeline_module.h"

#include <algorithm>

namespace weft::pipeline {
namespace {

sc_core::sc_time cycle() {
  return sc_core::sc_time(1, sc_core::SC_NS);
}

}  // namespace

class PipelineModule::BlockModule : public sc_core::sc_module {
 public:
  BlockModule(const sc_core::sc_module_name& name, SteppedBlock& block) : sc_module(name), block_(block) {
    SC_HAS_PROCESS(BlockModule);
    SC_METHOD(step);
  }
  // Registers the block at the other end of a FIFO. `late`: its tokens arrive later than they are given.
  void meet(BlockModule& other, bool late) {
    neighbours_.push_back(&other);
    polls_ = polls_ || late;
  }

 private:
  // Runs only in cycles in which the block may act: not within a step. A waiting block is woken by the neighbour that
  // gives or takes a token.
  void step() {
    const auto now = static_cast<Cycles>(sc_core::sc_time_stamp() / cycle());
    const bool moved = block_.step(now);
    if (moved) {
      for (BlockModule* const neighbour : neighbours_) neighbour->wake_.notify(cycle());
    }
    if (block_.done()) return;
    const Cycles next = block_.next(now);
    if (moved || polls_ || next > now + 1) {
      next_trigger(static_cast<double>(next - now) * cycle());
    } else {
      next_trigger(wake_);
    }
  }

  SteppedBlock& block_;
  std::vector<BlockModule*> neighbours_;
  bool polls_ = false;
  sc_core::sc_event wake_;
};

PipelineModule::PipelineModule(const sc_core::sc_module_name& name, const Pipeline& pipeline, std::int64_t images)
    : sc_module(name), stepped_(pipeline, images), pipeline_(&pipeline), high_water_(pipeline.fifos.size()) {
  for (BlockId id = 0; id < stepped_.blocks.size(); ++id) {
    modules_.push_back(std::make_unique<BlockModule>(sc_core::sc_gen_unique_name("block"), stepped_.blocks[id]));
  }
  for (const Fifo& fifo : pipeline.fifos) {
    const std::vector<Stream>& streams = pipeline.blocks[fifo.from].streams;
    const bool late = fifo.latency > 0 || std::any_of(streams.begin(), streams.end(),
                                                      [](const Stream& stream) { return stream.faults.any(); });
    modules_[fifo.from]->meet(*modules_[fifo.to], late);
    modules_[fifo.to]->meet(*modules_[fifo.from], late);
  }
  SC_HAS_PROCESS(PipelineModule);
  SC_METHOD(watch);
}

PipelineModule::~PipelineModule() = default;

void PipelineModule::check() const {
  if (error_) throw Error(*error_);
}

// Runs between two cycles, when all blocks have made their step.
void PipelineModule::watch() {
  const auto now = static_cast<Cycles>(sc_core::sc_time_stamp() / cycle());
  for (FifoId i = 0; i < high_water_.size(); ++i) {
    const Channel& fifo = stepped_.fifos[i];
    high_water_[i] = std::max(high_water_[i], fifo.held());
    if (!fifo.overflows(now)) continue;
    // The newest token that has arrived is the one that follows the `depth` tokens before it.
    const Fifo& kind = pipeline_->fifos[i];
    const std::int64_t image = (fifo.popped() + kind.depth) / pipeline_->taken(i);
    try {
      throw_overflow(*pipeline_, kind, image);
    } catch (const Error& error) {
      error_ = error;
    }
    sc_core::sc_pause();
    return;
  }
  if (!done()) next_trigger(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME ? cycle() / 2 : cycle());
}

}  // namespace weft::pipeline
