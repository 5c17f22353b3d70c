#pragma once

#include "model/conv/window.h"
#include "model/fpgpt/plan.h"
#include "tests/support/random_layer.h"
#include "tests/support/run_data.h"

namespace weft::test {

// alpha with its sizes as small as the convolution allows.
inline fpgpt::Alpha fitted(fpgpt::Alpha alpha, const conv::Convolution& c) {
  const conv::WindowGeometry geometry = conv::window_geometry(c, alpha.x);
  alpha.z = static_cast<int>(geometry.z);
  alpha.z_channel = geometry.z_channel;
  alpha.k_range = c.kern_words();
  alpha.kern_words = fpgpt::kern_memory_words(alpha, c);
  alpha.out_words = fpgpt::out_memory_words(alpha, c);
  return alpha;
}

// The random convolution of a seed on a random kernel, with random data: at most `most_products` multiply-accumulates, so
// that a few hundred run in seconds (larger ones are drawn again).
inline DataCase random_case(std::uint64_t seed, std::int64_t most_products = 400000) {
  Random random(seed);
  for (;;) {
    const conv::Layer layer = random_layer(random);
    const auto kind = static_cast<conv::Kind>(pick(random, 0, 2));
    const int group = pick(random, 0, layer.groups - 1);
    const conv::Convolution c = workloads::lower(layer, kind, group);
    if (c.a * c.n_inp * c.n_kern * c.out_map() * c.m() > most_products) continue;
    return make_case(layer, kind, group, fitted(random_alpha(random), c), seed);
  }
}

}  // namespace weft::test
