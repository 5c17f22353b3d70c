#pragma once

#include <random>
#include <vector>

#include "model/conv/layer.h"
#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/placement.h"
#include "model/fpgpt/plan.h"
#include "platform/cosim/lockstep.h"
#include "workloads/lowering.h"

namespace weft::cosim {

// A convolution placed in three memory channels with random contents.
struct DataCase {
  fpgpt::Plan plan;
  engine::DataMemory memory;
};

inline DataCase make_case(const conv::Layer& layer, conv::Kind kind, int group, const fpgpt::Alpha& alpha,
                          std::uint64_t seed, const Channels& channels = {0, 1, 2}) {
  const workloads::TensorWords words = workloads::tensor_words(layer, kind);
  const fpgpt::Placement placement =
      fpgpt::place(alpha, {words.inp * 4, words.kern * 4, words.out * 4}, channels, 3, Bytes{1} << 30);
  DataCase result;
  result.plan = fpgpt::make_plan(alpha, fpgpt::placed(workloads::lower(layer, kind, group), placement), true);
  for (const Bytes bytes : placement.channel_bytes) result.memory.channels.emplace_back(bytes);
  result.memory.channel_of_port = channels;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> value(-1.0F, 1.0F);
  for (memory::Store& store : result.memory.channels) {
    for (Address at = 0; at < store.bytes(); at += 4) *store.words(at) = value(random);
  }
  return result;
}

}  // namespace weft::cosim
