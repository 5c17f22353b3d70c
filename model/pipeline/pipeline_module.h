#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "model/pipeline/stepped.h"

namespace weft::pipeline {

// The blocks of a pipeline in an sc_module each, and the FIFOs between them. A cycle is a nanosecond.
class PipelineModule : public sc_core::sc_module {
 public:
  PipelineModule(const sc_core::sc_module_name& name, const Pipeline& pipeline, std::int64_t images);
  ~PipelineModule() override;

  const std::vector<SteppedBlock>& blocks() const { return stepped_.blocks; }
  const std::vector<std::int64_t>& high_water() const { return high_water_; }
  bool done() const { return stepped_.done(); }

 private:
  class BlockModule;
  void watch();

  SteppedPipeline stepped_;
  std::vector<std::int64_t> high_water_;
  std::vector<std::unique_ptr<BlockModule>> modules_;
};

}  // namespace weft::pipeline
