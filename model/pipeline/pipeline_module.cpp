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

 private:
  void step() {
    block_.step(static_cast<Cycles>(sc_core::sc_time_stamp() / cycle()));
    if (!block_.done()) next_trigger(cycle());
  }

  SteppedBlock& block_;
};

PipelineModule::PipelineModule(const sc_core::sc_module_name& name, const Pipeline& pipeline, std::int64_t images)
    : sc_module(name), stepped_(pipeline, images), high_water_(pipeline.fifos.size()) {
  for (BlockId id = 0; id < stepped_.blocks.size(); ++id) {
    modules_.push_back(std::make_unique<BlockModule>(sc_core::sc_gen_unique_name("block"), stepped_.blocks[id]));
  }
  SC_HAS_PROCESS(PipelineModule);
  SC_METHOD(watch);
}

PipelineModule::~PipelineModule() = default;

// Between two cycles, when all blocks have made their step.
void PipelineModule::watch() {
  for (FifoId i = 0; i < high_water_.size(); ++i) {
    high_water_[i] = std::max(high_water_[i], stepped_.fifos[i].pushed() - stepped_.fifos[i].popped());
  }
  if (!done()) next_trigger(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME ? cycle() / 2 : cycle());
}

}  // namespace weft::pipeline
