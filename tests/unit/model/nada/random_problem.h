#pragma once

#include <random>

#include "model/nada/planner.h"

namespace weft::nada::test {

using Random = std::mt19937_64;

inline std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

inline Entity entity(std::int64_t channels, std::int64_t filters, std::int64_t pixels) {
  Entity made;
  made.name = "e";
  made.channels = channels;
  made.filters = filters;
  made.pixels = made.outputs = pixels;
  return made;
}

// Up to `most` entities on up to three boards, of which some fit and some do not.
inline Problem random_problem(Random& random, std::int64_t most = 5) {
  Problem problem;
  const auto entities = static_cast<std::size_t>(draw(random, 1, most));
  for (std::size_t i = 0; i < entities; ++i) {
    Entity each = entity(draw(random, 1, 3), draw(random, 1, 3), draw(random, 1, 8));
    each.window = draw(random, 0, 1) == 0 ? 1 : 4;
    each.outputs = draw(random, 1, each.pixels);
    each.passes = draw(random, 0, 5) == 0 ? 0 : draw(random, 0, 3) == 0 ? 2 : 3;
    each.lines = draw(random, 0, 6);
    each.stored = draw(random, 0, 20);
    problem.entities.push_back(each);
    if (i > 0) problem.tensors.push_back({i - 1, i, draw(random, 0, 20), {}});
  }
  if (entities > 2) problem.tensors.push_back({0, entities - 1, draw(random, 0, 10), {}});
  const auto boards = static_cast<std::size_t>(draw(random, 1, 3));
  const bool alike = draw(random, 0, 1) == 0;
  for (std::size_t i = 0; i < boards; ++i) {
    problem.boards.push_back({"b",
                              {draw(random, 3, 60), draw(random, 600, 12000), draw(random, 2, 40), draw(random, 0, 60)},
                              draw(random, 50, 2000)});
    if (alike) problem.boards.back() = problem.boards.front();
    if (i > 0) problem.link_bits_per_s.push_back(alike && i > 1 ? problem.link_bits_per_s[0] : draw(random, 50, 2000));
  }
  problem.clock_hz = 10;
  problem.costs.m20k_words = 4;
  problem.costs.mlab_words = 2;
  problem.costs.copies = draw(random, 1, 3);
  problem.activations = draw(random, 0, 1) == 0 ? Activations::Dram : Activations::M20k;
  problem.stored_images = 1;
  return problem;
}

}  // namespace weft::nada::test
