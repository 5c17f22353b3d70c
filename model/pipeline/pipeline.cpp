#include "model/pipeline/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/error.h"

namespace weft::pipeline {

std::int64_t Block::taken() const {
  std::int64_t sum = 0;
  for (const Steps& steps : image) sum += steps.takes ? steps.count : 0;
  for (const Stream& stream : streams) sum += stream.tokens;
  return sum;
}

std::int64_t Block::given() const {
  std::int64_t sum = 0;
  for (const Steps& steps : image) sum += steps.gives ? steps.count : 0;
  for (const Stream& stream : streams) sum += stream.tokens;
  return sum;
}

Cycles Block::cycles() const {
  Cycles sum = 0;
  for (const Steps& steps : image) sum += steps.count * steps.cycles;
  for (const Stream& stream : streams) sum += stream.tokens * stream.cycles;
  return sum;
}

namespace {

constexpr std::int64_t kMillion = 1'000'000;

// Faulty ones of the first `frames` frames.
std::int64_t faulty(std::int64_t frames, std::int64_t per_million) {
  return frames / kMillion * per_million + frames % kMillion * per_million / kMillion;
}

}  // namespace

std::int64_t Faults::lost_of(std::int64_t token) const {
  return lost == 0 ? 0 : faulty((token + 1) * frames, lost) - faulty(token * frames, lost);
}

Cycles Faults::late(std::int64_t token) const {
  const bool delays = delayed > 0 && faulty((token + 1) * frames, delayed) > faulty(token * frames, delayed);
  return (lost_of(token) > 0 ? resend_after : 0) + (delays ? delay_by : 0);
}

std::int64_t Faults::phase(std::int64_t token) const {
  return !any() ? 0 : token * frames % kMillion;
}

BlockId Pipeline::add(Block block) {
  blocks.push_back(std::move(block));
  return blocks.size() - 1;
}

FifoId Pipeline::join(BlockId from, BlockId to, std::int64_t depth) {
  fifos.push_back({fmt::format("{} -> {}", blocks.at(from).name, blocks.at(to).name), from, to, depth});
  return fifos.size() - 1;
}

std::vector<std::vector<FifoId>> Pipeline::inputs() const {
  std::vector<std::vector<FifoId>> result(blocks.size());
  for (FifoId i = 0; i < fifos.size(); ++i) result[fifos[i].to].push_back(i);
  return result;
}

std::vector<std::vector<FifoId>> Pipeline::outputs() const {
  std::vector<std::vector<FifoId>> result(blocks.size());
  for (FifoId i = 0; i < fifos.size(); ++i) result[fifos[i].from].push_back(i);
  return result;
}

bool Pipeline::shared() const {
  return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) { return block.shared(); });
}

namespace {

// Returns the stream of a FIFO: its index among the FIFOs at that end of its block.
std::size_t stream_of(const std::vector<Fifo>& fifos, FifoId id, BlockId Fifo::*end) {
  return static_cast<std::size_t>(std::count_if(fifos.begin(), fifos.begin() + static_cast<std::ptrdiff_t>(id),
                                                [&](const Fifo& each) { return each.*end == fifos[id].*end; }));
}

}  // namespace

std::int64_t Pipeline::given(FifoId fifo) const {
  const Block& block = blocks[fifos[fifo].from];
  return block.shared() ? block.streams.at(stream_of(fifos, fifo, &Fifo::from)).tokens : block.given();
}

std::int64_t Pipeline::taken(FifoId fifo) const {
  const Block& block = blocks[fifos[fifo].to];
  return block.shared() ? block.streams.at(stream_of(fifos, fifo, &Fifo::to)).tokens : block.taken();
}

void throw_overflow(const Pipeline& pipeline, const Fifo& fifo, std::int64_t image) {
  throw Error(
      fmt::format("link '{}': the receive FIFO of {} tokens before '{}' is full when a token of image {} arrives, and "
                  "flow: none can neither delay nor resend the token: use flow: credit, a deeper FIFO or a slower "
                  "source",
                  fifo.name, fifo.depth, pipeline.blocks[fifo.to].name, image));
}

void Pipeline::validate() const {
  const auto inputs = this->inputs(), outputs = this->outputs();
  for (BlockId id = 0; id < blocks.size(); ++id) {
    const Block& block = blocks[id];
    if (block.shared()) {
      if (!block.image.empty() || inputs[id].size() != block.streams.size() ||
          outputs[id].size() != inputs[id].size()) {
        throw Error(
            fmt::format("shared block '{}' of {} streams has {} inputs and {} outputs; allowed: one of each per "
                        "stream",
                        block.name, block.streams.size(), inputs[id].size(), outputs[id].size()));
      }
      for (const Stream& stream : block.streams) {
        if (stream.tokens < 1 || stream.cycles < 1) {
          throw Error(
              fmt::format("shared block '{}' has a stream of {} tokens of {} cycles; allowed: at least 1 of each",
                          block.name, stream.tokens, stream.cycles));
        }
      }
      continue;
    }
    if (block.image.empty()) throw Error(fmt::format("block '{}' has no steps", block.name));
    for (const Steps& steps : block.image) {
      if (steps.count < 1 || steps.cycles < 1) {
        throw Error(fmt::format("block '{}' has {} steps of {} cycles; allowed: at least 1 of each", block.name,
                                steps.count, steps.cycles));
      }
    }
  }
  for (FifoId id = 0; id < fifos.size(); ++id) {
    const Fifo& fifo = fifos[id];
    if (fifo.depth < 0) throw Error(fmt::format("FIFO '{}' has depth {}; allowed: 0 or more", fifo.name, fifo.depth));
    if (fifo.latency < 0) {
      throw Error(fmt::format("FIFO '{}' has a latency of {} cycles; allowed: 0 or more", fifo.name, fifo.latency));
    }
    const std::int64_t given = this->given(id), taken = this->taken(id);
    if (given + blocks[fifo.from].kept != taken) {
      throw Error(fmt::format("FIFO '{}' receives {} tokens an image, but {} are taken", fifo.name, given, taken));
    }
  }
}

}  // namespace weft::pipeline
