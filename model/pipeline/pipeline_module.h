#pragma once

#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "model/core/error.h"
#include "model/pipeline/stepped.h"

namespace weft::pipeline {

// Hosts each block of a pipeline in an sc_module, with FIFOs between them. A cycle is a nanosecond. SystemC reports
// exceptions that leave a process, so an error pauses the simulation and is thrown by check().
class PipelineModule : public sc_core::sc_module {
 public:
  PipelineModule(const sc_core::sc_module_name& name, const Pipeline& pipeline, std::int64_t images);
  ~PipelineModule() override;

  const std::vector<SteppedBlock>& blocks() const { return stepped_.blocks; }
  const std::vector<std::int64_t>& high_water() const { return high_water_; }
  // Throws the error that ended the simulation, if any; to be called after sc_start.
  void check() const;
  bool done() const { return stepped_.done(); }

 private:
  class BlockModule;
  void watch();

  SteppedPipeline stepped_;
  const Pipeline* pipeline_;
  std::optional<Error> error_;
  std::vector<std::int64_t> high_water_;
  std::vector<std::unique_ptr<BlockModule>> modules_;
};

}  // namespace weft::pipeline
