#include "model/barista/dse/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace weft::barista::dse {
namespace {

// Eqs. 4.1 to 4.9 once more, as one expression of seconds.
double seconds(const Tile& t, const Gemm& g, int partials, const Bandwidths& b, Objective objective) {
  const auto up = [](std::int64_t a, std::int64_t by) { return (a + by - 1) / by; };
  const std::int64_t tiles = up(g.r, t.r) * up(g.c, t.c);
  const double cycles = static_cast<double>(tiles * (up(g.p, t.p) * (t.p + t.r + t.c - 2) + partials * partials));
  const double kernel =
      std::max(cycles / 250e6, static_cast<double>(32 * tiles * ((t.r + t.c) * g.p + t.r * t.c)) / b.memory);
  const double pcie = static_cast<double>(32 * (g.r * g.p + g.p * g.c + g.r * g.c)) / b.pcie;
  return objective == Objective::Overall ? pcie + kernel : kernel;
}

struct Case {
  Problem problem;
  std::vector<Gemm> gemms;
  std::vector<Target> targets;
};

Case random_case(std::mt19937_64& random) {
  const auto from = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const auto range = [&](int most) {
    Range range{from(1, 5), 0, from(1, 3)};
    range.to = range.from + from(0, most);
    return range;
  };
  Case c;
  c.problem.base.partials = from(1, 4);
  c.problem.r = range(9);
  c.problem.c = range(9);
  c.problem.p = range(12);
  c.problem.dsp_per_element = from(1, 5);
  c.problem.dsp = from(1, 300);
  c.problem.bram_bits = from(32, 12000);
  c.problem.bandwidths = {from(1, 40) * 1e9, from(1, 40) * 1e9};
  c.problem.objective = from(0, 1) == 0 ? Objective::Overall : Objective::Kernel;
  for (int i = from(1, 4); i > 0; --i) c.gemms.push_back({from(1, 40), from(1, 60), from(1, 40)});
  for (int i = from(1, 3); i > 0; --i) {
    Target target;
    for (int layer = from(1, 3); layer > 0; --layer) {
      Target::Layer& of = target.layers.emplace_back();
      for (int k = from(1, 3); k > 0; --k) {
        of.gemms.emplace_back(random() % c.gemms.size(), from(1, 5));
        of.operations += 2.0 * static_cast<double>(c.gemms[of.gemms.back().first].macs() * of.gemms.back().second);
      }
    }
    target.mean_rate = from(0, 1) == 0;
    if (from(0, 1) == 0) target.rival = Tile{from(1, 12), from(1, 12), from(1, 16)};
    c.targets.push_back(target);
  }
  return c;
}

// Of a target on a tile: what is to be least.
double cost(const Case& c, const Target& target, const Tile& tile) {
  double time = 0, rate = 0;
  for (const Target::Layer& layer : target.layers) {
    double of_layer = 0;
    for (const auto& [gemm, count] : layer.gemms) {
      of_layer += static_cast<double>(count) *
                  seconds(tile, c.gemms[gemm], c.problem.base.partials, c.problem.bandwidths, c.problem.objective);
    }
    time += of_layer;
    rate += layer.operations / of_layer;
  }
  return target.mean_rate ? -rate / static_cast<double>(target.layers.size()) : time;
}

Searched search(const Case& c, bool backwards) {
  std::vector<Searched> parts;
  for (std::int64_t i = 0; i < c.problem.r.count(); ++i) parts.push_back(search_rows(c.problem, c.gemms, c.targets, i));
  if (backwards) std::reverse(parts.begin(), parts.end());
  Searched all;
  for (const Searched& part : parts) merge(c.targets, all, part);
  return all;
}

TEST(BaristaSearch, OfRandomCasesFindsTheBestOfAllTiles) {
  std::mt19937_64 random(3);
  int with_a_best = 0, with_none = 0;
  for (int i = 0; i < 400; ++i) {
    const Case c = random_case(random);
    const Searched found = search(c, i % 2 == 1);
    std::int64_t tiles = 0;
    std::vector<Tile> fitting;
    for (int r = c.problem.r.from; r <= c.problem.r.to; r += c.problem.r.step) {
      for (int k = c.problem.c.from; k <= c.problem.c.to; k += c.problem.c.step) {
        for (int p = c.problem.p.from; p <= c.problem.p.to; p += c.problem.p.step) {
          ++tiles;
          if (r * k * c.problem.dsp_per_element > c.problem.dsp) continue;
          if (32 * (r * p + p * k + r * k * c.problem.base.partials) > c.problem.bram_bits) continue;
          fitting.push_back({r, k, p});
        }
      }
    }
    EXPECT_EQ(found.tiles, tiles);
    EXPECT_EQ(found.fitting, static_cast<std::int64_t>(fitting.size()));
    for (std::size_t t = 0; t < c.targets.size(); ++t) {
      const Optimum& optimum = found.optima[t];
      ASSERT_EQ(optimum.best.has_value(), !fitting.empty());
      if (fitting.empty()) {
        ++with_none;
        continue;
      }
      ++with_a_best;
      double least = 0;
      for (const Tile& tile : fitting) {
        const double one = cost(c, c.targets[t], tile);
        if (&tile == &fitting.front() || one < least) least = one;
      }
      const double of_best = cost(c, c.targets[t], optimum.best->tile);
      EXPECT_NEAR(of_best, least, 1e-12 * std::abs(least));
      EXPECT_TRUE(c.problem.fits(optimum.best->tile));
      if (!c.targets[t].rival) continue;
      const double of_rival = cost(c, c.targets[t], *c.targets[t].rival);
      std::int64_t surely = 0, perhaps = 0;  // equal ones may fall to either side by rounding
      for (const Tile& tile : fitting) {
        const double one = cost(c, c.targets[t], tile);
        surely += one < of_rival - 1e-12 * std::abs(of_rival) ? 1 : 0;
        perhaps += one < of_rival + 1e-12 * std::abs(of_rival) ? 1 : 0;
      }
      EXPECT_GE(optimum.better_than_rival, surely);
      EXPECT_LE(optimum.better_than_rival, perhaps);
    }
  }
  EXPECT_GT(with_a_best, 400);
  EXPECT_GT(with_none, 20);
}

// A GEMM of one word takes the same on every mesh, if transfers alone count: 96 bits over PCIe at 1 b/s against cycles.
// Fewest DSPs first, then bits, then rows: 1 x 1, and of those the shallowest.
TEST(BaristaSearch, PrefersTheSmallerOfEqualTiles) {
  Problem problem;
  problem.base.partials = 1;
  problem.r = problem.c = {1, 4, 1};
  problem.p = {1, 4, 1};
  problem.dsp = 1000;
  problem.bram_bits = 1 << 20;
  // The memory is so slow that its 3 words take all the time on <1, 1, p>; larger tiles move padded words of C.
  problem.bandwidths = {1, 1};
  const std::vector<Gemm> gemms{{1, 1, 1}};
  const std::vector<Target> targets{{{{2, {{0, 1}}}}, false, {}}};
  Searched all;
  for (std::int64_t i = 0; i < 4; ++i) merge(targets, all, search_rows(problem, gemms, targets, i));
  EXPECT_TRUE((all.optima[0].best->tile == Tile{1, 1, 1}));
}

}  // namespace
}  // namespace weft::barista::dse
