#include "platform/dse/tile_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "model/barista/analytical/equations.h"

// The search of tiles, with Barista's equations.
namespace weft::barista {
namespace {

using dse::grid::Combination;
using dse::grid::Searched;
using dse::grid::Target;

struct Tile {
  int r = 1, c = 1, p = 1;
};

// Time in seconds by Eqs. 4.1 to 4.9, written again as one expression.
double seconds(const Tile& t, const Gemm& g, int partials, const Bandwidths& b, bool overall) {
  const auto up = [](std::int64_t a, std::int64_t by) { return (a + by - 1) / by; };
  const std::int64_t tiles = up(g.r, t.r) * up(g.c, t.c);
  const double cycles = static_cast<double>(tiles * (up(g.p, t.p) * (t.p + t.r + t.c - 2) + partials * partials));
  const double kernel =
      std::max(cycles / 250e6, static_cast<double>(32 * tiles * ((t.r + t.c) * g.p + t.r * t.c)) / b.memory);
  const double pcie = static_cast<double>(32 * (g.r * g.p + g.p * g.c + g.r * g.c)) / b.pcie;
  return overall ? pcie + kernel : kernel;
}

struct Case {
  std::vector<Range> ranges;  // r, c, p
  int partials = 1, dsp_per_element = 5;
  Budget budget;
  Bandwidths bandwidths;
  bool overall = true;
  std::vector<Gemm> gemms;
  std::vector<Target> targets;
};

dse::grid::Equations equations_of(const Case& c) {
  const auto alpha = [&c](const Combination& tile) {
    Alpha alpha;
    alpha.partials = c.partials;
    alpha.tr = tile[0];
    alpha.tc = tile[1];
    alpha.tp = tile[2];
    return alpha;
  };
  dse::grid::Equations all;
  all.resources = [&c, alpha](const Combination& tile) {
    dse::Resources resources;
    resources.dsp = dsp_use(alpha(tile), c.dsp_per_element);
    resources.bram_bits = bram_bits(alpha(tile));
    resources.bram18 = bram18_of(*resources.bram_bits);
    return resources;
  };
  all.seconds = [&c, alpha](const Combination& tile) {
    std::vector<double> seconds;
    for (const Gemm& gemm : c.gemms) {
      const EquationTerms terms = equations(alpha(tile), gemm, c.bandwidths);
      seconds.push_back(c.overall ? terms.overall_seconds : terms.compute_seconds);
    }
    return seconds;
  };
  return all;
}

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
  c.partials = from(1, 4);
  for (const int most : {9, 9, 12}) c.ranges.push_back(range(most));
  c.dsp_per_element = from(1, 5);
  c.budget.dsp = from(1, 300);
  c.budget.bram18 = from(0, 1);
  c.bandwidths = {from(1, 40) * 1e9, from(1, 40) * 1e9};
  c.overall = from(0, 1) == 0;
  for (int i = from(1, 4); i > 0; --i) c.gemms.push_back({from(1, 40), from(1, 60), from(1, 40)});
  for (int i = from(1, 3); i > 0; --i) {
    Target target;
    for (int layer = from(1, 3); layer > 0; --layer) {
      Target::Layer& of = target.layers.emplace_back();
      for (int k = from(1, 3); k > 0; --k) {
        of.launches.emplace_back(random() % c.gemms.size(), from(1, 5));
        of.operations +=
            2.0 * static_cast<double>(c.gemms[of.launches.back().first].macs() * of.launches.back().second);
      }
    }
    target.mean_rate = from(0, 1) == 0;
    if (from(0, 1) == 0) target.rival = Combination{from(1, 12), from(1, 12), from(1, 16)};
    c.targets.push_back(target);
  }
  return c;
}

// Returns the quantity that a target minimises, for a tile.
double cost(const Case& c, const Target& target, const Combination& values) {
  const Tile tile{values[0], values[1], values[2]};
  double time = 0, rate = 0;
  for (const Target::Layer& layer : target.layers) {
    double of_layer = 0;
    for (const auto& [gemm, count] : layer.launches) {
      of_layer += static_cast<double>(count) * seconds(tile, c.gemms[gemm], c.partials, c.bandwidths, c.overall);
    }
    time += of_layer;
    rate += layer.operations / of_layer;
  }
  return target.mean_rate ? -rate / static_cast<double>(target.layers.size()) : time;
}

Searched search(const Case& c, bool backwards) {
  std::vector<Searched> parts;
  for (std::int64_t i = 0; i < c.ranges[0].count(); ++i) {
    parts.push_back(dse::grid::search(equations_of(c), c.ranges, c.budget, c.targets, i));
  }
  if (backwards) std::reverse(parts.begin(), parts.end());
  Searched all;
  for (const Searched& part : parts) dse::grid::merge(c.targets, all, part);
  return all;
}

TEST(TileSearch, OfRandomCasesFindsTheBestOfAllTiles) {
  std::mt19937_64 random(3);
  int with_a_best = 0, with_none = 0;
  for (int i = 0; i < 600; ++i) {
    const Case c = random_case(random);
    const Searched found = search(c, i % 2 == 1);
    std::int64_t tiles = 0;
    std::vector<Combination> fitting;
    for (int r = c.ranges[0].from; r <= c.ranges[0].to; r += c.ranges[0].step) {
      for (int k = c.ranges[1].from; k <= c.ranges[1].to; k += c.ranges[1].step) {
        for (int p = c.ranges[2].from; p <= c.ranges[2].to; p += c.ranges[2].step) {
          ++tiles;
          if (r * k * c.dsp_per_element > c.budget.dsp) continue;
          if (32 * (r * p + p * k + r * k * c.partials) > c.budget.bram18 * 18 * 1024) continue;
          fitting.push_back({r, k, p});
        }
      }
    }
    EXPECT_EQ(found.tried, tiles);
    EXPECT_EQ(found.fitting, static_cast<std::int64_t>(fitting.size()));
    for (std::size_t t = 0; t < c.targets.size(); ++t) {
      const dse::grid::Best& optimum = found.best[t];
      ASSERT_EQ(optimum.best.has_value(), !fitting.empty());
      if (fitting.empty()) {
        ++with_none;
        continue;
      }
      ++with_a_best;
      double least = 0;
      for (const Combination& tile : fitting) {
        const double one = cost(c, c.targets[t], tile);
        if (&tile == &fitting.front() || one < least) least = one;
      }
      const double of_best = cost(c, c.targets[t], optimum.best->values);
      EXPECT_NEAR(of_best, least, 1e-12 * std::abs(least));
      EXPECT_NE(std::find(fitting.begin(), fitting.end(), optimum.best->values), fitting.end());
      if (!c.targets[t].rival) continue;
      const double of_rival = cost(c, c.targets[t], *c.targets[t].rival);
      std::int64_t surely = 0, perhaps = 0;  // rounding may put equal ones on either side
      for (const Combination& tile : fitting) {
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

// With transfers alone a GEMM of one word takes equal times on every mesh: 96 bits over PCIe at 1 b/s against cycles.
// Order: fewest DSPs, then bits, then rows: 1 x 1, and the shallowest of those.
TEST(TileSearch, PrefersTheSmallerOfEqualTiles) {
  Case c;
  c.ranges.assign(3, {1, 4, 1});
  c.budget = {1000, 100, 0};
  // The memory is so slow that its 3 words take the whole time on <1, 1, p>; larger tiles move padded words of C.
  c.bandwidths = {1, 1};
  c.gemms = {{1, 1, 1}};
  c.targets = {{{{2, {{0, 1}}}}, false, {}}};
  EXPECT_EQ(search(c, false).best[0].best->values, (Combination{1, 1, 1}));
}

}  // namespace
}  // namespace weft::barista
