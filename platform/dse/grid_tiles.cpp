#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/dse/grid.h"
#include "platform/os/worker_pool.h"

namespace weft::dse::grid {

namespace {

constexpr const char* kAllCycles = "the cycles of all convolutions";

// Returns the published tile of a layer, or nullptr. Empty `layer`: of the network.
const PublishedTile* published_of(const GridConfig& config, const std::string& layer) {
  const auto found = std::find_if(config.published.begin(), config.published.end(),
                                  [&](const PublishedTile& each) { return each.layer == layer; });
  return found == config.published.end() ? nullptr : &*found;
}

// Throws Error for a published name that no layer has: it would be ignored silently.
void check_published(const GridConfig& config, const workloads::Network& network) {
  std::vector<std::string> names;
  for (const auto* layers : {&network.layers, &network.fc_layers}) {
    for (const conv::Layer& layer : *layers) names.push_back(layer.name);
  }
  for (const PublishedTile& each : config.published) {
    if (each.layer.empty() || std::find(names.begin(), names.end(), each.layer) != names.end()) continue;
    throw Error(fmt::format("published: network '{}' has no layer '{}'{}", network.name, each.layer,
                            config::suggestion(each.layer, names)));
  }
}

// Returns the layers of the convolutions, in their order.
std::vector<std::string> layers_of(const Equations& equations) {
  std::vector<std::string> layers;
  for (const Convolution& c : equations.convolutions) {
    if (layers.empty() || layers.back() != c.layer) layers.push_back(c.layer);
  }
  return layers;
}

// Returns one target for each shape, one for each layer, and two for the network.
std::vector<Target> targets_of(const GridConfig& config, const Equations& equations) {
  const auto rival = [&](const std::string& layer) -> std::optional<Combination> {
    const PublishedTile* const published = published_of(config, layer);
    if (!published) return std::nullopt;
    return published->values;
  };
  std::vector<Target> targets;
  for (std::size_t shape = 0; shape < equations.macs.size(); ++shape) {
    targets.push_back({{{2.0 * static_cast<double>(equations.macs[shape]), {{shape, 1}}}}, false, {}});
  }
  Target all{{}, false, rival("")};
  std::size_t at = 0;
  for (const std::string& layer : layers_of(equations)) {
    Target::Layer& of = all.layers.emplace_back();
    for (; at < equations.convolutions.size() && equations.convolutions[at].layer == layer; ++at) {
      of.operations += 2.0 * static_cast<double>(equations.convolutions[at].macs);
      of.launches.emplace_back(equations.shapes[at], equations.convolutions[at].launches);
    }
    targets.push_back({{of}, false, rival(layer)});
  }
  for (const bool mean_rate : {false, true}) {
    all.mean_rate = mean_rate;
    targets.push_back(all);
  }
  return targets;
}

Tile tile_of(const Space& space, const GridConfig& config, const Found& found) {
  Tile tile;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    tile.kernel.emplace_back(space.parameter(config.tried[i].axis), Value(std::int64_t{found.values[i]}));
  }
  tile.resources = found.resources;
  tile.seconds = found.seconds;
  tile.gops = found.gops;
  tile.gops_per_watt = found.gops / config.watts;
  return tile;
}

void take(Tiles& tiles, const Space& space, const GridConfig& config, const std::string& layer, const Best& found) {
  tiles.optimal = tile_of(space, config, *found.best);
  if (!found.rival) return;
  tiles.published = tile_of(space, config, *found.rival);
  tiles.published->published_gops_per_watt = published_of(config, layer)->gops_per_watt;
  tiles.better_than_published = found.better_than_rival;
}

Searched search_all(const GridConfig& config, const Equations& equations, const std::vector<Target>& targets,
                    const Progress& progress) {
  std::vector<Range> ranges;
  Combination smallest;
  for (const Tried& each : config.tried) {
    ranges.push_back(each.range);
    smallest.push_back(each.range.from);
  }
  std::vector<Searched> parts(static_cast<std::size_t>(ranges.front().count()));
  os::parallel_for(
      parts.size(), config.run.workers.value_or(os::processors()),
      [&](std::size_t i) {
        parts[i] = search(equations, ranges, config.budget, targets, static_cast<std::int64_t>(i));
      },
      [&](std::size_t done) {
        if (progress) progress("tiles", static_cast<std::int64_t>(done), static_cast<std::int64_t>(parts.size()));
      });
  Searched searched;
  for (const Searched& part : parts) merge(targets, searched, part);
  if (searched.fitting > 0) return searched;
  const Resources use = equations.resources(smallest);
  throw Error(
      fmt::format("budget: no tile of the space fits; <{}> needs {} "
                  "DSPs and {} BRAM18, but the budget has {} and {}: raise it",
                  fmt::join(smallest, ", "), use.dsp, use.bram18, config.budget.dsp, config.budget.bram18));
}

// Returns nothing unless all layers have a published tile and a value of a CPU.
std::optional<Mix> mix_of(const GridConfig& config, const std::vector<LayerTiles>& layers) {
  Mix mix;
  for (const LayerTiles& layer : layers) {
    if (!layer.published || !layer.cpu_gops_per_watt) return std::nullopt;
    const double cpu = *layer.cpu_gops_per_watt, card = layer.published->gops_per_watt;
    mix.optimal += std::max(cpu, layer.optimal.gops_per_watt);
    mix.published_tiles += std::max(cpu, card);
    mix.cpu += cpu;
    if (card > cpu) mix.on_card.push_back(layer.layer);
  }
  for (double* const sum : {&mix.optimal, &mix.published_tiles, &mix.cpu}) *sum /= static_cast<double>(layers.size());
  if (const PublishedTile* const network = published_of(config, "")) {
    mix.published = network->mix_gops_per_watt;
    mix.published_cpu = network->cpu_gops_per_watt;
  }
  return mix;
}

}  // namespace

Result explore_tiles(const Space& space, const GridConfig& config, Result result, const workloads::Network& network,
                     const Progress& progress) {
  result.network = network.name;
  check_published(config, network);
  Equations equations = space.equations(config, network);
  const Searched searched = search_all(config, equations, targets_of(config, equations), progress);
  result.tiles = searched.tried;
  result.fitting = searched.fitting;
  Cycles cycles = 0;
  double seconds = 0;
  for (std::size_t i = 0; i < equations.convolutions.size(); ++i) {
    Convolution& c = result.convolutions.emplace_back(equations.convolutions[i]);
    const Found& found = *searched.best[equations.shapes[i]].best;
    const Equations::Launch launch = equations.launch(found.values, equations.shapes[i]);
    const Tile tile = tile_of(space, config, found);
    const double all_seconds = found.seconds * static_cast<double>(c.launches);
    c.arrays = searched.tried;
    c.fitting = searched.fitting;
    c.optimal = {launch.cycles, launch.limiter,     tile.kernel,   tile.resources, all_seconds,
                 tile.gops,     tile.gops_per_watt, found.seconds, false,          {}};
    checked::add(cycles, checked::product(kAllCycles, {launch.cycles, c.launches}), kAllCycles);
    seconds += all_seconds;
  }
  result.optimal = optimal_of(result, config.run, cycles, equations.macs.size());
  result.optimal.seconds = seconds;
  auto best = searched.best.begin() + static_cast<std::ptrdiff_t>(equations.macs.size());
  result.layers.emplace();
  for (const std::string& layer : layers_of(equations)) {
    LayerTiles& of = result.layers->emplace_back();
    of.layer = layer;
    take(of, space, config, layer, *best++);
    if (const PublishedTile* const published = published_of(config, layer)) {
      of.cpu_gops_per_watt = published->cpu_gops_per_watt;
    }
  }
  result.network_tile.emplace();
  take(result.network_tile->least_time, space, config, "", *best++);
  take(result.network_tile->highest_mean, space, config, "", *best);
  result.network_tile->mix = mix_of(config, *result.layers);
  return result;
}

}  // namespace weft::dse::grid
