#include "platform/dse/tile_search.h"

#include <tuple>

namespace weft::dse::grid {

namespace {

Found found(const Target& target, const Combination& values, const Resources& resources,
            const std::vector<double>& seconds) {
  Found found{values, 0, 0, resources};
  for (const Target::Layer& layer : target.layers) {
    double of_layer = 0;
    for (const auto& [shape, count] : layer.launches) of_layer += seconds[shape] * static_cast<double>(count);
    found.seconds += of_layer;
    found.gops += layer.operations / 1e9 / of_layer;
  }
  found.gops /= static_cast<double>(target.layers.size());
  return found;
}

double cost(const Target& target, const Found& found) {
  return target.mean_rate ? -found.gops : found.seconds;
}

bool better(const Target& target, const Found& a, const Found& b) {
  const auto key = [&](const Found& f) {
    return std::tuple<double, std::int64_t, std::int64_t, std::optional<std::int64_t>, const Combination&>(
        cost(target, f), f.resources.dsp, f.resources.bram18, f.resources.bram_bits, f.values);
  };
  return key(a) < key(b);
}

}  // namespace

bool within(const Resources& use, const Budget& budget) {
  return use.dsp <= budget.dsp && use.bram18 <= budget.bram18 && use.uram.value_or(0) <= budget.uram &&
         (!budget.lut || use.lut.value_or(0) <= *budget.lut) && (!budget.ff || use.ff.value_or(0) <= *budget.ff);
}

Searched search(const Equations& equations, const std::vector<Range>& ranges, const Budget& budget,
                const std::vector<Target>& targets, std::int64_t i) {
  Searched searched;
  searched.best.resize(targets.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (!targets[t].rival) continue;
    const Combination& rival = *targets[t].rival;
    searched.best[t].rival = found(targets[t], rival, equations.resources(rival), equations.seconds(rival));
  }
  searched.tried = 1;
  for (std::size_t k = 1; k < ranges.size(); ++k) searched.tried *= ranges[k].count();
  Combination values(ranges.size());
  values[0] = ranges[0].at(i);
  for (std::int64_t rest = 0; rest < searched.tried; ++rest) {
    std::int64_t left = rest;
    for (std::size_t k = ranges.size(); k-- > 1; left /= ranges[k].count()) {
      values[k] = ranges[k].at(left % ranges[k].count());
    }
    const Resources resources = equations.resources(values);
    if (!within(resources, budget)) continue;
    ++searched.fitting;
    const std::vector<double> seconds = equations.seconds(values);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      Best& of = searched.best[t];
      const Found one = found(targets[t], values, resources, seconds);
      if (!of.best || better(targets[t], one, *of.best)) of.best = one;
      if (of.rival && cost(targets[t], one) < cost(targets[t], *of.rival)) ++of.better_than_rival;
    }
  }
  return searched;
}

void merge(const std::vector<Target>& targets, Searched& into, const Searched& part) {
  into.tried += part.tried;
  into.fitting += part.fitting;
  into.best.resize(targets.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    Best& of = into.best[t];
    const Best& other = part.best[t];
    if (other.best && (!of.best || better(targets[t], *other.best, *of.best))) of.best = other.best;
    of.rival = other.rival;
    of.better_than_rival += other.better_than_rival;
  }
}

}  // namespace weft::dse::grid
