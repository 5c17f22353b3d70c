#include "model/pipeline/stepped.h"

#include <algorithm>

namespace weft::pipeline {

bool Channel::can_push(Cycles now) const {
  if (!fifo_->waits()) return true;
  // Places return in the order of the pops; those of cycle `now` and later are not yet available.
  const auto away = taken_.end() - std::lower_bound(taken_.begin(), taken_.end(), now - fifo_->latency);
  return held() + away < fifo_->depth;
}

void Channel::push(Cycles now, Cycles late) {
  last_ = std::max(last_, now + late);
  given_.push_back(last_);
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
  if (block_->shared()) return step_shared(now);
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

bool SteppedBlock::step_shared(Cycles now) {
  const std::size_t streams = block_->streams.size();
  const bool begins = begin_ < 0;
  if (begins) {
    const std::size_t before = block_->arbitration == Arbitration::RoundRobin ? stream_ + 1 : 0;
    for (std::size_t i = 0; i < streams && begin_ < 0; ++i) {
      const std::size_t each = (before + i) % streams;
      if (!inputs_[each]->can_pop(now) || !outputs_[each]->can_push(now)) continue;
      stream_ = each;
      begin_ = now;
      inputs_[each]->pop(now);
    }
    if (begin_ < 0) return false;
  }
  const Stream& stream = block_->streams[stream_];
  if (now < begin_ + stream.cycles_of(served_[stream_]) - 1) return begins;
  outputs_[stream_]->push(now, stream.faults.late(served_[stream_]));
  times_.emplace_back(begin_, now);
  begin_ = -1;
  ++served_[stream_];
  bool all = true;
  for (std::size_t i = 0; i < streams; ++i) all = all && served_[i] == all_ * block_->streams[i].tokens;
  if (all) images_ = 0;
  return true;
}

Cycles SteppedBlock::next(Cycles now) const {
  if (begin_ < 0) return now + 1;
  const Cycles cycles =
      block_->shared() ? block_->streams[stream_].cycles_of(served_[stream_]) : block_->image[group_].cycles;
  return std::max(now + 1, begin_ + cycles - 1);
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
