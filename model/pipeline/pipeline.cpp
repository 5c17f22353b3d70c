#include "model/pipeline/pipeline.h"

#include <fmt/core.h>

#include <utility>

#include "model/core/error.h"

namespace weft::pipeline {

std::int64_t Block::taken() const {
  std::int64_t sum = 0;
  for (const Steps& steps : image) sum += steps.takes ? steps.count : 0;
  return sum;
}

std::int64_t Block::given() const {
  std::int64_t sum = 0;
  for (const Steps& steps : image) sum += steps.gives ? steps.count : 0;
  return sum;
}

Cycles Block::cycles() const {
  Cycles sum = 0;
  for (const Steps& steps : image) sum += steps.count * steps.cycles;
  return sum;
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

void throw_overflow(const Pipeline& pipeline, const Fifo& fifo, std::int64_t image) {
  throw Error(
      fmt::format("link '{}': its receive FIFO of {} tokens before '{}' is full when one of image {} arrives, and with "
                  "flow none it can neither be held back nor sent again; allowed is flow: credit, a deeper FIFO or a "
                  "slower source",
                  fifo.name, fifo.depth, pipeline.blocks[fifo.to].name, image));
}

void Pipeline::validate() const {
  for (const Block& block : blocks) {
    if (block.image.empty()) throw Error(fmt::format("block '{}' has no steps", block.name));
    for (const Steps& steps : block.image) {
      if (steps.count < 1 || steps.cycles < 1) {
        throw Error(fmt::format("block '{}' has {} steps of {} cycles, allowed is at least 1 of each", block.name,
                                steps.count, steps.cycles));
      }
    }
  }
  for (const Fifo& fifo : fifos) {
    if (fifo.depth < 0) throw Error(fmt::format("FIFO '{}' has depth {}, allowed is 0 or more", fifo.name, fifo.depth));
    if (fifo.latency < 0) {
      throw Error(fmt::format("FIFO '{}' has a latency of {} cycles, allowed is 0 or more", fifo.name, fifo.latency));
    }
    const std::int64_t given = blocks[fifo.from].given(), taken = blocks[fifo.to].taken();
    if (given + blocks[fifo.from].kept != taken) {
      throw Error(fmt::format("FIFO '{}' is given {} tokens an image, and {} are taken", fifo.name, given, taken));
    }
  }
}

}  // namespace weft::pipeline
