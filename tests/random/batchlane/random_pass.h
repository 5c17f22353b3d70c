#pragma once

#include <algorithm>
#include <random>

#include "model/batchlane/plan.h"
#include "model/sparse/mask.h"

namespace weft::batchlane::test {

using Random = std::mt19937_64;

inline int pick(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

inline conv::Layer layer_of(int channels, int filters, int h, int w, int kernel, int batch) {
  const int begin = (kernel - 1) / 2, end = kernel - 1 - begin;
  return {"layer", batch, channels, filters, 1, {h, kernel, 1, begin, end}, {w, kernel, 1, begin, end}};
}

// Bytes of dY of one output.
inline Bytes output_bytes(const conv::Layer& layer, const Alpha& alpha) {
  return Bytes{layer.h.out()} * layer.w.out() * alpha.lanes;
}

inline Alpha random_alpha(Random& random) {
  Alpha alpha;
  alpha.lanes = 4 * pick(random, 1, 4);
  alpha.split = 1 << pick(random, 0, 2);
  alpha.pes = alpha.split * pick(random, 1, 4);
  alpha.outputs_per_pe = pick(random, 1, 4);
  alpha.split_pixels = pick(random, 0, 2) == 0;
  alpha.tile_pixels = pick(random, 15, 40);
  alpha.ahead = pick(random, 1, 5);
  alpha.strips = pick(random, 1, 5);
  alpha.csb_beats = pick(random, 1, 20);
  for (stream::PortConfig* port : {&alpha.feature_port, &alpha.csb_port, &alpha.result_port}) {
    *port = {pick(random, 1, 64), pick(random, 1, 6)};
  }
  return alpha;
}

inline conv::Layer random_layer(Random& random, const Alpha& alpha) {
  conv::Layer layer = layer_of(pick(random, 1, 14), pick(random, 1, 14), pick(random, 1, 7), pick(random, 1, 7),
                               pick(random, 1, 4), pick(random, 1, alpha.lanes));
  if (pick(random, 0, 1) == 0) return layer;
  // Strides, and maps that do not keep their size: padding of up to a kernel, and at least one window.
  for (conv::LayerAxis* axis : {&layer.h, &layer.w}) {
    axis->stride = pick(random, 1, 3);
    axis->pad_begin = pick(random, 0, axis->kernel);
    axis->pad_end = std::max(pick(random, 0, axis->kernel), axis->kernel - axis->size - axis->pad_begin);
  }
  return layer;
}

inline sparse::Mask random_mask(Random& random, const conv::Layer& layer, const Alpha& alpha) {
  const double density = 0.125 * pick(random, 0, 8);
  const std::uint64_t seed = random();
  if (pick(random, 0, 1) == 0) {
    return sparse::random_mask(layer.filters, layer.channels, density, seed, layer.name);
  }
  return sparse::balanced_mask(layer.filters, layer.channels, density, {alpha.pes, alpha.block()}, seed, layer.name);
}

struct Pass {
  Alpha alpha;
  conv::Layer layer;
  sparse::Mask mask;
  conv::Kind kind = conv::Kind::F;
};

// Returns a pass of a layer that the kernel accepts: in GW a bank holds the gradients of an output.
inline Pass random_pass(Random& random) {
  Pass pass;
  pass.alpha = random_alpha(random);
  pass.layer = random_layer(random, pass.alpha);
  pass.mask = random_mask(random, pass.layer, pass.alpha);
  pass.kind = static_cast<conv::Kind>(pick(random, 0, 2));
  if (pass.kind == conv::Kind::GW && output_bytes(pass.layer, pass.alpha) > pass.alpha.bank_bytes()) {
    pass.kind = conv::Kind::F;
  }
  return pass;
}

// Returns a pass of the dense alpha.
inline Pass random_dense_pass(Random& random) {
  Pass pass;
  do {
    pass = random_pass(random);
    pass.alpha.across = Across::Channels;
    pass.alpha.split = 1;
    pass.alpha.split_pixels = false;
    pass.kind = static_cast<conv::Kind>(pick(random, 0, 2));
  } while (pass.kind == conv::Kind::GW && output_bytes(pass.layer, pass.alpha) > pass.alpha.bank_bytes());
  pass.mask = sparse::Mask(pass.layer.filters, pass.layer.channels, true);
  return pass;
}

inline constexpr Bases kBases{0, 1 << 20, 2 << 20, 3 << 20};

}  // namespace weft::batchlane::test
