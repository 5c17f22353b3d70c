#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/core/fifo.h"
#include "model/core/units.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// A block cycle by cycle, as its steps say; for a clocked loop and for SystemC.
class SteppedBlock {
 public:
  SteppedBlock(const Block& block, std::vector<weft::Fifo*> inputs, std::vector<weft::Fifo*> outputs,
               std::int64_t images)
      : block_(&block), inputs_(std::move(inputs)), outputs_(std::move(outputs)), images_(images) {}

  void step(Cycles now);
  bool done() const { return images_ == 0; }
  // The first and last cycle of each step so far.
  const std::vector<std::pair<Cycles, Cycles>>& times() const { return times_; }

 private:
  bool begin(const Steps& steps, Cycles now);
  bool end(const Steps& steps, Cycles now);

  const Block* block_;
  std::vector<weft::Fifo*> inputs_, outputs_;
  std::int64_t images_;
  std::size_t group_ = 0;
  std::int64_t step_ = 0;
  Cycles begin_ = -1;  // of the step that is on; -1: none
  std::vector<std::pair<Cycles, Cycles>> times_;
};

// A whole pipeline: its FIFOs, and its blocks between them. `pipeline` must outlive it.
struct SteppedPipeline {
  SteppedPipeline(const Pipeline& pipeline, std::int64_t images);
  SteppedPipeline(const SteppedPipeline&) = delete;
  SteppedPipeline& operator=(const SteppedPipeline&) = delete;

  bool done() const;

  std::vector<weft::Fifo> fifos;
  std::vector<SteppedBlock> blocks;
};

}  // namespace weft::pipeline
