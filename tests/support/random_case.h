#pragma once

#include "model/fpgpt/plan.h"
#include "model/fpgpt/sizing.h"
#include "tests/support/random_layer.h"
#include "tests/support/run_data.h"

namespace weft::test {

// The random convolution of a seed on a random kernel, with random data: at most `most_products` multiply-accumulates,
// so that a few hundred run in seconds (larger ones are drawn again).
inline DataCase random_case(std::uint64_t seed, std::int64_t most_products = 400000,
                            const Channels& channels = {0, 1, 2}) {
  Random random(seed);
  for (;;) {
    const conv::Layer layer = random_layer(random);
    const auto kind = static_cast<conv::Kind>(pick(random, 0, 2));
    const int group = pick(random, 0, layer.groups - 1);
    const conv::Convolution c = workloads::lower(layer, kind, group);
    if (c.a * c.n_inp * c.n_kern * c.out_map() * c.m() > most_products) continue;
    return make_case(layer, kind, group, fpgpt::fitted(random_alpha(random), c), seed, channels);
  }
}

}  // namespace weft::test
