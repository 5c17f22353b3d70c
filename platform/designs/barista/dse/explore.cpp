#include "platform/designs/barista/dse/explore.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/os/parallel.h"
#include "platform/os/worker_pool.h"
#include "workloads/gemm_lowering.h"

namespace weft::barista::exploration {

namespace {

using Result = weft::dse::Result;

constexpr std::int64_t kBlockBits = std::int64_t{18} * 1024;  // of a BRAM18
constexpr const char* kCycles = "the cycles of all convolutions";

// One training convolution of the network.
struct Convolution {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  std::size_t gemm = 0;       // equal ones are tried once
  std::int64_t launches = 1;  // images and groups
  std::int64_t macs = 0;      // of all launches
};

struct Convolutions {
  std::vector<Gemm> gemms;  // distinct
  std::vector<Convolution> all;
  std::vector<std::string> layers;
};

dse::Problem problem_of(const DseConfig& config) {
  dse::Problem problem;
  problem.base = alpha_of(kernel_of(config.run));
  problem.r = config.r;
  problem.c = config.c;
  problem.p = config.p;
  problem.dsp = config.budget.dsp;
  problem.bram_bits = config.budget.bram18 * kBlockBits;
  problem.dsp_per_element = dsp_per_element(config.readings);
  problem.bandwidths = bandwidths(config.run, config.readings);
  problem.objective = config.objective;
  return problem;
}

Convolutions convolutions_of(const DseConfig& config, const workloads::Network& network) {
  std::vector<conv::Layer> layers = network.layers;
  layers.insert(layers.end(), network.fc_layers.begin(), network.fc_layers.end());
  Convolutions found;
  for (const config::Chosen& chosen : config::choose(config.run, layers)) {
    Convolution& c = found.all.emplace_back();
    c.layer = layers[chosen.layer];
    c.kind = chosen.kind;
    const Gemm gemm = workloads::lower_gemm(c.layer, c.kind);
    const auto same = [&](const Gemm& each) { return each.r == gemm.r && each.p == gemm.p && each.c == gemm.c; };
    const auto at = std::find_if(found.gemms.begin(), found.gemms.end(), same);
    c.gemm = static_cast<std::size_t>(at - found.gemms.begin());
    if (at == found.gemms.end()) found.gemms.push_back(gemm);
    c.launches = std::int64_t{c.layer.batch} * c.layer.groups;
    c.macs = gemm.macs() * c.launches;
    if (found.layers.empty() || found.layers.back() != c.layer.name) found.layers.push_back(c.layer.name);
  }
  return found;
}

// Empty `layer`: of the network.
const Published* published_of(const DseConfig& config, const std::string& layer) {
  const auto found = std::find_if(config.published.begin(), config.published.end(),
                                  [&](const Published& each) { return each.layer == layer; });
  return found == config.published.end() ? nullptr : &*found;
}

// One for each distinct GEMM, one for each layer, and two for the network.
std::vector<dse::Target> targets_of(const DseConfig& config, const Convolutions& convolutions) {
  const auto rival = [&](const std::string& layer) -> std::optional<dse::Tile> {
    const Published* const published = published_of(config, layer);
    if (!published) return std::nullopt;
    return published->tile;
  };
  std::vector<dse::Target> targets;
  for (std::size_t gemm = 0; gemm < convolutions.gemms.size(); ++gemm) {
    targets.push_back({{{2.0 * static_cast<double>(convolutions.gemms[gemm].macs()), {{gemm, 1}}}}, false, {}});
  }
  dse::Target all{{}, false, rival("")};
  auto at = convolutions.all.begin();
  for (const std::string& layer : convolutions.layers) {
    dse::Target::Layer& of = all.layers.emplace_back();
    for (; at != convolutions.all.end() && at->layer.name == layer; ++at) {
      of.operations += 2.0 * static_cast<double>(at->macs);
      of.gemms.emplace_back(at->gemm, at->launches);
    }
    targets.push_back({{of}, false, rival(layer)});
  }
  for (const bool mean_rate : {false, true}) {
    all.mean_rate = mean_rate;
    targets.push_back(all);
  }
  return targets;
}

weft::dse::Tile tile_of(const DseConfig& config, const dse::Found& found) {
  weft::dse::Tile tile;
  const auto side = [](int value) { return Value(std::int64_t{value}); };
  tile.kernel = {{"tile_r", side(found.tile.r)}, {"tile_c", side(found.tile.c)}, {"tile_p", side(found.tile.p)}};
  tile.resources.dsp = found.dsp;
  tile.resources.bram18 = ceil_div(found.bram_bits, kBlockBits);
  tile.resources.bram_bits = found.bram_bits;
  tile.seconds = found.seconds;
  tile.gops = found.gops;
  tile.gops_per_watt = found.gops / config.watts;
  return tile;
}

void take(weft::dse::Tiles& tiles, const DseConfig& config, const std::string& layer, const dse::Optimum& optimum) {
  tiles.optimal = tile_of(config, *optimum.best);
  if (!optimum.rival) return;
  tiles.published = tile_of(config, *optimum.rival);
  tiles.published->published_gops_per_watt = published_of(config, layer)->gops_per_watt;
  tiles.better_than_published = optimum.better_than_rival;
}

// A name that no layer has would be left out without a word.
void check_published(const DseConfig& config, const workloads::Network& network) {
  std::vector<std::string> names;
  for (const auto* layers : {&network.layers, &network.fc_layers}) {
    for (const conv::Layer& layer : *layers) names.push_back(layer.name);
  }
  for (const Published& each : config.published) {
    if (each.layer.empty() || std::find(names.begin(), names.end(), each.layer) != names.end()) continue;
    throw Error(fmt::format("published: network '{}' has no layer '{}'{}", network.name, each.layer,
                            config::suggestion(each.layer, names)));
  }
}

}  // namespace

Result explore(const DseConfig& config, Result result, const workloads::Network& network,
               const weft::dse::Progress& progress) {
  result.network = network.name;
  check_published(config, network);
  const Convolutions convolutions = convolutions_of(config, network);
  const std::vector<dse::Target> targets = targets_of(config, convolutions);
  const dse::Problem problem = problem_of(config);
  std::vector<dse::Searched> parts(static_cast<std::size_t>(problem.r.count()));
  os::parallel_for(
      parts.size(), config.run.workers.value_or(os::processors()),
      [&](std::size_t i) {
        parts[i] = dse::search_rows(problem, convolutions.gemms, targets, static_cast<std::int64_t>(i));
      },
      [&](std::size_t done) {
        if (progress) progress("tiles", static_cast<std::int64_t>(done), static_cast<std::int64_t>(parts.size()));
      });
  dse::Searched searched;
  for (const dse::Searched& part : parts) dse::merge(targets, searched, part);
  result.tiles = searched.tiles;
  result.fitting = searched.fitting;
  if (searched.fitting == 0) {
    const Alpha smallest = problem.alpha({problem.r.from, problem.c.from, problem.p.from});
    throw Error(fmt::format(
        "budget: no tile of the space fits; <{}, {}, {}> needs {} DSPs and {} BRAM18, the budget has {} and {}",
        smallest.tr, smallest.tc, smallest.tp, dsp_use(smallest, problem.dsp_per_element),
        ceil_div(bram_bits(smallest), kBlockBits), config.budget.dsp, config.budget.bram18));
  }
  Cycles cycles = 0;
  double seconds = 0;
  for (const Convolution& c : convolutions.all) {
    const dse::Found& found = *searched.optima[c.gemm].best;
    const EquationTerms terms = equations(problem.alpha(found.tile), convolutions.gemms[c.gemm], problem.bandwidths);
    const weft::dse::Tile tile = tile_of(config, found);
    weft::dse::Convolution& of = result.convolutions.emplace_back();
    of.layer = c.layer.name;
    of.kind = c.kind;
    of.launches = c.launches;
    of.macs = c.macs;
    of.arrays = searched.tiles;
    of.fitting = searched.fitting;
    of.optimal = {terms.cycles,
                  terms.memory_bound ? "memory" : "mesh",
                  tile.kernel,
                  tile.resources,
                  found.seconds * static_cast<double>(c.launches),
                  tile.gops,
                  tile.gops_per_watt,
                  found.seconds,
                  false};
    checked::add(cycles, checked::product(kCycles, {terms.cycles, c.launches}), kCycles);
    seconds += of.optimal->seconds;
  }
  result.optimal = optimal_of(result, config.run, cycles, convolutions.gemms.size());
  result.optimal.seconds = seconds;
  auto optimum = searched.optima.begin() + static_cast<std::ptrdiff_t>(convolutions.gemms.size());
  result.layers.emplace();
  for (const std::string& layer : convolutions.layers) {
    weft::dse::LayerTiles& of = result.layers->emplace_back();
    of.layer = layer;
    take(of, config, layer, *optimum++);
  }
  result.network_tile.emplace();
  take(result.network_tile->least_time, config, "", *optimum++);
  take(result.network_tile->highest_mean, config, "", *optimum);
  return result;
}

}  // namespace weft::barista::exploration
