#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "model/core/units.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// FIFO for cycle-by-cycle simulation: registered on both sides, with the latency of a link.
class Channel {
 public:
  explicit Channel(const Fifo& fifo) : fifo_(&fifo) {}

  bool can_push(Cycles now) const;
  bool can_pop(Cycles now) const { return !given_.empty() && given_.front() + 1 + fifo_->latency <= now; }
  void push(Cycles now, Cycles late = 0);  // `late`: more latency of this token, and of those after it
  void pop(Cycles now);
  std::int64_t held() const { return static_cast<std::int64_t>(given_.size()); }  // including tokens in flight
  // True if, after all blocks have made their step of cycle `now`, more tokens have arrived than there are places.
  bool overflows(Cycles now) const;
  std::int64_t popped() const { return popped_; }

 private:
  const Fifo* fifo_;
  std::deque<Cycles> given_;  // push times of the tokens not yet taken, late ones as if pushed later
  std::deque<Cycles> taken_;  // pop times of the tokens whose place is on its way back
  std::int64_t popped_ = 0;
  Cycles last_ = 0;  // push time of the latest token
};

// Block for cycle-by-cycle simulation, in a clocked loop or in SystemC.
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

  bool step(Cycles now);  // true if a step began or ended
  // Returns the next cycle after `now` in which step() may act: not before the last cycle of a step in progress.
  Cycles next(Cycles now) const;
  bool done() const { return images_ == 0; }
  // First and last cycle of each step so far.
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
  Cycles begin_ = -1;                 // begin of the current step; -1: none
  std::size_t stream_ = 0;            // shared block: stream served now or last
  std::vector<std::int64_t> served_;  // tokens served of each stream
  std::int64_t all_ = 0;              // number of images
  std::vector<std::pair<Cycles, Cycles>> times_;
};

// A whole pipeline with its FIFOs and blocks. `pipeline` must outlive it.
struct SteppedPipeline {
  SteppedPipeline(const Pipeline& pipeline, std::int64_t images);
  SteppedPipeline(const SteppedPipeline&) = delete;
  SteppedPipeline& operator=(const SteppedPipeline&) = delete;

  bool done() const;

  std::vector<Channel> fifos;
  std::vector<SteppedBlock> blocks;
};

}  // namespace weft::pipeline
