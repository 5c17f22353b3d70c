#include "model/barista/dse/search.h"

#include <tuple>

namespace weft::barista::dse {

namespace {

// What the GEMMs take on a tile, each once.
std::vector<double> seconds_of(const Problem& problem, const std::vector<Gemm>& gemms, const Tile& tile) {
  const Alpha alpha = problem.alpha(tile);
  std::vector<double> seconds;
  seconds.reserve(gemms.size());
  for (const Gemm& gemm : gemms) {
    const EquationTerms terms = equations(alpha, gemm, problem.bandwidths);
    seconds.push_back(problem.objective == Objective::Overall ? terms.overall_seconds : terms.compute_seconds);
  }
  return seconds;
}

Found found(const Problem& problem, const Target& target, const Tile& tile, const std::vector<double>& seconds) {
  Found found;
  found.tile = tile;
  for (const Target::Layer& layer : target.layers) {
    double of_layer = 0;
    for (const auto& [gemm, count] : layer.gemms) of_layer += seconds[gemm] * static_cast<double>(count);
    found.seconds += of_layer;
    found.gops += layer.operations / 1e9 / of_layer;
  }
  found.gops /= static_cast<double>(target.layers.size());
  const Alpha alpha = problem.alpha(tile);
  found.dsp = dsp_use(alpha, problem.dsp_per_element);
  found.bram_bits = bram_bits(alpha);
  return found;
}

double cost(const Target& target, const Found& found) {
  return target.mean_rate ? -found.gops : found.seconds;
}

bool better(const Target& target, const Found& a, const Found& b) {
  const auto key = [&](const Found& f) {
    return std::make_tuple(cost(target, f), f.dsp, f.bram_bits, f.tile.r, f.tile.c, f.tile.p);
  };
  return key(a) < key(b);
}

}  // namespace

Alpha Problem::alpha(const Tile& tile) const {
  Alpha alpha = base;
  alpha.tr = tile.r;
  alpha.tc = tile.c;
  alpha.tp = tile.p;
  return alpha;
}

bool Problem::fits(const Tile& tile) const {
  const Alpha kernel = alpha(tile);
  return dsp_use(kernel, dsp_per_element) <= dsp && barista::bram_bits(kernel) <= bram_bits;
}

Searched search_rows(const Problem& problem, const std::vector<Gemm>& gemms, const std::vector<Target>& targets,
                     std::int64_t i) {
  Searched searched;
  searched.optima.resize(targets.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (!targets[t].rival) continue;
    const Tile rival = *targets[t].rival;
    searched.optima[t].rival = found(problem, targets[t], rival, seconds_of(problem, gemms, rival));
  }
  Tile tile;
  tile.r = problem.r.at(i);
  for (std::int64_t c = 0; c < problem.c.count(); ++c) {
    tile.c = problem.c.at(c);
    for (std::int64_t p = 0; p < problem.p.count(); ++p) {
      tile.p = problem.p.at(p);
      ++searched.tiles;
      if (!problem.fits(tile)) continue;
      ++searched.fitting;
      const std::vector<double> seconds = seconds_of(problem, gemms, tile);
      for (std::size_t t = 0; t < targets.size(); ++t) {
        Optimum& optimum = searched.optima[t];
        const Found one = found(problem, targets[t], tile, seconds);
        if (!optimum.best || better(targets[t], one, *optimum.best)) optimum.best = one;
        if (optimum.rival && cost(targets[t], one) < cost(targets[t], *optimum.rival)) ++optimum.better_than_rival;
      }
    }
  }
  return searched;
}

void merge(const std::vector<Target>& targets, Searched& into, const Searched& part) {
  into.tiles += part.tiles;
  into.fitting += part.fitting;
  into.optima.resize(targets.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    Optimum& optimum = into.optima[t];
    const Optimum& other = part.optima[t];
    if (other.best && (!optimum.best || better(targets[t], *other.best, *optimum.best))) optimum.best = other.best;
    optimum.rival = other.rival;
    optimum.better_than_rival += other.better_than_rival;
  }
}

}  // namespace weft::barista::dse
