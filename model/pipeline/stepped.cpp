#include "model/pipeline/stepped.h"

#include <algorithm>

namespace weft::pipeline {

bool Channel::can_push(Cycles now) const {
  if (!fifo_->waits()) return true;
  // Places come back in the order in which they were taken; those of now and later are not there.
  const auto away = taken_.end() - std::lower_bound(taken_.begin(), taken_.end(), now - fifo_->latency);
  return held() + away < fifo_->depth;
}

void Channel::push(Cycles now) {
  given_.push_back(now);
}

void Channel::pop(Cycles now) {
  given_.pop_front();
  ++popped_;
  if (!fifo_->waits()) return;
  while (!taken_.empty() && taken_.front() + fifo_->latency < now) taken_.pop_front();
  taken_.push_back(now);
}

bool Channel::overflows(Cycles now) const {
  if (fifo_->depth == kUnbounded || fifo_->flow == Flow::Credit) return false;
  const auto arrived = std::upper_bound(given_.begin(), given_.end(), now - fifo_->latency) - given_.begin();
  return arrived > fifo_->depth;
}

bool SteppedBlock::step(Cycles now) {
  if (done()) return false;
  const Steps& steps = block_->image[group_];
  const bool begins = begin_ < 0;
  if (begins && !begin(steps, now)) return false;
  if (!end(steps, now)) return begins;
  times_.emplace_back(begin_, now);
  begin_ = -1;
  if (++step_ < steps.count) return true;
  step_ = 0;
  if (++group_ < block_->image.size()) return true;
  group_ = 0;
  --images_;
  return true;
}

Cycles SteppedBlock::next(Cycles now) const {
  return begin_ < 0 ? now + 1 : std::max(now + 1, begin_ + block_->image[group_].cycles - 1);
}

bool SteppedBlock::begin(const Steps& steps, Cycles now) {
  if (steps.takes) {
    if (!std::all_of(inputs_.begin(), inputs_.end(), [&](const Channel* fifo) { return fifo->can_pop(now); })) {
      return false;
    }
    for (Channel* fifo : inputs_) fifo->pop(now);
  }
  begin_ = now;
  return true;
}

bool SteppedBlock::end(const Steps& steps, Cycles now) {
  if (now < begin_ + steps.cycles - 1) return false;
  if (!steps.gives) return true;
  if (!std::all_of(outputs_.begin(), outputs_.end(), [&](const Channel* fifo) { return fifo->can_push(now); })) {
    return false;
  }
  for (Channel* fifo : outputs_) fifo->push(now);
  return true;
}

SteppedPipeline::SteppedPipeline(const Pipeline& pipeline, std::int64_t images) {
  fifos.reserve(pipeline.fifos.size());
  for (const Fifo& fifo : pipeline.fifos) fifos.emplace_back(fifo);
  const auto inputs = pipeline.inputs(), outputs = pipeline.outputs();
  const auto pointers = [&](const std::vector<FifoId>& ids) {
    std::vector<Channel*> result;
    result.reserve(ids.size());
    for (const FifoId id : ids) result.push_back(&fifos[id]);
    return result;
  };
  blocks.reserve(pipeline.blocks.size());
  for (BlockId id = 0; id < pipeline.blocks.size(); ++id) {
    blocks.emplace_back(pipeline.blocks[id], pointers(inputs[id]), pointers(outputs[id]), images);
  }
}

bool SteppedPipeline::done() const {
  return std::all_of(blocks.begin(), blocks.end(), [](const SteppedBlock& block) { return block.done(); });
}

}  // namespace weft::pipeline
