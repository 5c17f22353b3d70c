#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "model/fpgpt/dse/served.h"
#include "model/fpgpt/dse/sharing.h"
#include "workloads/lowering.h"

namespace weft::fpgpt::dse::test {

inline int pick(std::mt19937_64& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

inline conv::Layer random_layer(std::mt19937_64& random) {
  const auto pick = [&](int low, int high) { return test::pick(random, low, high); };
  conv::Layer layer;
  layer.name = "l";
  layer.batch = pick(1, 3);
  const bool deep = pick(0, 2) == 0;  // KERN takes many blocks
  layer.channels = deep ? pick(30, 70) : pick(1, 6);
  layer.filters = deep ? pick(8, 24) : pick(1, 6);
  const bool large = pick(0, 3) == 0;  // OUT takes many blocks
  for (conv::LayerAxis* axis : {&layer.h, &layer.w}) {
    axis->size = large ? pick(30, 60) : pick(3, 9);
    axis->kernel = pick(1, 3);
    axis->stride = pick(1, 2);
    axis->pad_begin = axis->pad_end = axis->kernel / 2;
  }
  return layer;
}

// F of a 1x1 convolution over a map of one row of `outputs`, one image. With few kernels Gamma_Total is INP_DDR, which
// is 48 * channels * ceil(outputs / X) * ceil(filters / Y): a window of up to 768 words is read as 48 beats (A.1-A.3).
inline conv::Convolution pointwise(int outputs, int filters, int channels) {
  return workloads::lower({"l", 1, channels, filters, 1, {}, {outputs}}, conv::Kind::F);
}

// A problem and all other input of sharing. Every shape is one item.
struct Case {
  Problem problem;
  std::vector<Windows> windows;
  std::vector<Design> optimal;
  std::vector<Item> items;

  // Computes windows, optima and items of problem.shapes; false if a shape has no kernel.
  bool prepare() {
    windows.clear();
    optimal.clear();
    items.clear();
    for (std::size_t shape = 0; shape < problem.shapes.size(); ++shape) {
      windows.emplace_back(problem.shapes[shape], problem.widest());
      const Optimum found = optimum(problem, shape, windows.back(), 1);
      if (found.best.empty()) return false;
      optimal.push_back(found.best.front());
      items.push_back({shape, 1});
    }
    return true;
  }
  SharingInput input() const { return {problem, windows, optimal, items}; }
};

// Returns a case of the shapes on at most `pes` PEs, with more memory than they can use.
inline Case roomy(const std::vector<conv::Convolution>& shapes, int pes) {
  Case c;
  c.problem.budget = {9 * pes, 1'000'000, 0};
  c.problem.shapes = shapes;
  c.prepare();
  return c;
}

// Returns a few random small shapes of all kinds, a budget that not all of them fit, and other readings, by the seed.
inline Case random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](int low, int high) { return test::pick(random, low, high); };
  for (;;) {
    Case c;
    c.problem.base.bus_bits = 32 << pick(1, 4);
    c.problem.budget = {9 * pick(2, 16), pick(14, 60), pick(0, 1) * pick(4, 20)};
    c.problem.space.max_x = pick(1, 6);
    c.problem.space.max_y = pick(1, 6);
    c.problem.space.z = pick(0, 1) == 0 ? ZChoice::Searched : ZChoice::Fitted;
    for (const ReadingDescriptor& reading : reading_table()) {
      if (reading.key == "resources") continue;  // an exploration refuses the other one
      const auto alternative = static_cast<std::size_t>(pick(0, static_cast<int>(reading.alternatives.size()) - 1));
      if (pick(0, 3) == 0 && reading.key != "k_range")
        reading.set(c.problem.readings, reading.alternatives[alternative].value);
    }
    constexpr std::array<conv::Kind, 3> kKinds{conv::Kind::F, conv::Kind::GI, conv::Kind::GW};
    const int shapes = pick(2, 5);
    for (int i = 0; i < shapes; ++i) {
      const conv::Convolution beta =
          workloads::lower(random_layer(random), kKinds[static_cast<std::size_t>(pick(0, 2))]);
      const auto same = [&](const conv::Convolution& other) { return same_shape(other, beta); };
      if (std::none_of(c.problem.shapes.begin(), c.problem.shapes.end(), same)) c.problem.shapes.push_back(beta);
    }
    if (c.prepare()) return c;
  }
}

}  // namespace weft::fpgpt::dse::test
