#include "model/pipeline/stepped.h"

#include <algorithm>
#include <limits>

namespace weft::pipeline {

void SteppedBlock::step(Cycles now) {
  if (done()) return;
  const Steps& steps = block_->image[group_];
  if (begin_ < 0 && !begin(steps, now)) return;
  if (!end(steps, now)) return;
  times_.emplace_back(begin_, now);
  begin_ = -1;
  if (++step_ < steps.count) return;
  step_ = 0;
  if (++group_ < block_->image.size()) return;
  group_ = 0;
  --images_;
}

bool SteppedBlock::begin(const Steps& steps, Cycles now) {
  if (steps.takes) {
    if (!std::all_of(inputs_.begin(), inputs_.end(), [&](const weft::Fifo* fifo) { return fifo->can_pop(now); })) {
      return false;
    }
    for (weft::Fifo* fifo : inputs_) fifo->pop(now);
  }
  begin_ = now;
  return true;
}

bool SteppedBlock::end(const Steps& steps, Cycles now) {
  if (now < begin_ + steps.cycles - 1) return false;
  if (!steps.gives) return true;
  if (!std::all_of(outputs_.begin(), outputs_.end(), [&](const weft::Fifo* fifo) { return fifo->can_push(now); })) {
    return false;
  }
  for (weft::Fifo* fifo : outputs_) fifo->push(now);
  return true;
}

SteppedPipeline::SteppedPipeline(const Pipeline& pipeline, std::int64_t images) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  for (const Fifo& fifo : pipeline.fifos) {
    const std::int64_t depth = fifo.depth == kUnbounded ? kMost : std::min(fifo.depth, kMost);
    fifos.emplace_back(static_cast<int>(depth), 1, false);
  }
  const auto inputs = pipeline.inputs(), outputs = pipeline.outputs();
  const auto pointers = [&](const std::vector<FifoId>& ids) {
    std::vector<weft::Fifo*> result;
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
