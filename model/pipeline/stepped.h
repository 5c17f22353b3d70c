#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "model/core/units.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// A FIFO cycle by cycle: registered both ways, with the latency of a link.
class Channel {
 public:
  explicit Channel(const Fifo& fifo) : fifo_(&fifo) {}

  bool can_push(Cycles now) const;
  bool can_pop(Cycles now) const { return !given_.empty() && given_.front() + 1 + fifo_->latency <= now; }
  void push(Cycles now);
  void pop(Cycles now);
  std::int64_t held() const { return static_cast<std::int64_t>(given_.size()); }  // with those on their way
  // Behind cycle `now`, when all blocks have made their step: whether more have arrived than there are places.
  bool overflows(Cycles now) const;
  std::int64_t popped() const { return popped_; }

 private:
  const Fifo* fifo_;
  std::deque<Cycles> given_;  // when, of the tokens that are not taken
  std::deque<Cycles> taken_;  // when, of those whose place is on its way back
  std::int64_t popped_ = 0;
};

// A block cycle by cycle, as its steps say; for a clocked loop and for SystemC.
class SteppedBlock {
 public:
  SteppedBlock(const Block& block, std::vector<Channel*> inputs, std::vector<Channel*> outputs, std::int64_t images)
      : block_(&block),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        images_(images),
        stream_(block.shared() ? block.streams.size() - 1 : 0),
        served_(block.streams.size(), 0),
        all_(images) {}

  bool step(Cycles now);  // whether a step began or ended
  // The next cycle, behind `now`, in which step() may do anything: none before the last cycle of the step that is on.
  Cycles next(Cycles now) const;
  bool done() const { return images_ == 0; }
  // The first and last cycle of each step so far.
  const std::vector<std::pair<Cycles, Cycles>>& times() const { return times_; }

 private:
  bool step_shared(Cycles now);
  bool begin(const Steps& steps, Cycles now);
  bool end(const Steps& steps, Cycles now);

  const Block* block_;
  std::vector<Channel*> inputs_, outputs_;
  std::int64_t images_;
  std::size_t group_ = 0;
  std::int64_t step_ = 0;
  Cycles begin_ = -1;                 // of the step that is on; -1: none
  std::size_t stream_ = 0;            // of a shared block: that is served, or was last
  std::vector<std::int64_t> served_;  // tokens of each of its streams
  std::int64_t all_ = 0;              // images
  std::vector<std::pair<Cycles, Cycles>> times_;
};

// A whole pipeline: its FIFOs, and its blocks between them. `pipeline` must outlive it.
struct SteppedPipeline {
  SteppedPipeline(const Pipeline& pipeline, std::int64_t images);
  SteppedPipeline(const SteppedPipeline&) = delete;
  SteppedPipeline& operator=(const SteppedPipeline&) = delete;

  bool done() const;

  std::vector<Channel> fifos;
  std::vector<SteppedBlock> blocks;
};

}  // namespace weft::pipeline
