#pragma once

#include <vector>

#include "model/fpgpt/plan.h"
#include "model/fpgpt/sizing.h"
#include "platform/designs/fpgpt/cosim/data_case.h"
#include "platform/designs/fpgpt/cosim/random_alpha.h"

namespace weft::test {

using cosim::pick;
using cosim::Random;
using cosim::random_axis;
using cosim::random_layer;
using fpgpt::Channels;
using fpgpt::DataCase;
using fpgpt::make_case;
using fpgpt::random_alpha;

inline std::vector<float> contents(const memory::Store& store) {
  const float* const words = store.floats(store.first());
  return {words, words + store.bytes() / 4};
}

// What numbers a kernel computes with and how they lie in memory.
struct Numbers {
  NumberFormat format;
  Packing packing = Packing::Packed;
};
// Of a seed: fixed point of any width.
inline Numbers fixed_point_of(std::uint64_t seed) {
  Random random(seed * 0xD1B54A32D192ED03ULL + 5);
  return {NumberFormat::fixed(pick(random, NumberFormat::kLeastFixedBits, NumberFormat::kMostFixedBits)),
          pick(random, 0, 1) ? Packing::Packed : Packing::Padded};
}

// The random convolution of a seed on a random kernel, with random data: at most `most_products` multiply-accumulates,
// so that a few hundred run in seconds (larger ones are drawn again). Of fixed point, tensors begin with any word.
inline DataCase random_case(std::uint64_t seed, std::int64_t most_products = 400000,
                            const Channels& channels = {0, 1, 2}, const Numbers& numbers = {}) {
  Random random(seed);
  for (;;) {
    const conv::Layer layer = random_layer(random);
    const auto kind = static_cast<conv::Kind>(pick(random, 0, 2));
    const int group = pick(random, 0, layer.groups - 1);
    const conv::Convolution c = workloads::lower(layer, kind, group);
    if (c.a * c.n_inp * c.n_kern * c.out_map() * c.m() > most_products) continue;
    fpgpt::Alpha alpha = random_alpha(random);
    alpha.format = numbers.format;
    alpha.packing = numbers.packing;
    fpgpt::Firsts firsts{};
    if (numbers.format.is_fixed()) {
      for (Address& first : firsts) first = 4 * pick(random, 0, 2000);
    }
    return make_case(layer, kind, group, fpgpt::fitted(alpha, c), seed, channels, firsts);
  }
}

}  // namespace weft::test
