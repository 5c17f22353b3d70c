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

std::vector<Convolution> convolutions_of(const DseConfig& config, const workloads::Network& network,
                                         std::vector<Gemm>& gemms) {
  std::vector<conv::Layer> layers = network.layers;
  layers.insert(layers.end(), network.fc_layers.begin(), network.fc_layers.end());
  std::vector<Convolution> found;
  for (const config::Chosen& chosen : config::choose(config.run, layers)) {
    Convolution c;
    c.layer = layers[chosen.layer];
    c.kind = chosen.kind;
    const Gemm gemm = workloads::lower_gemm(c.layer, c.kind);
    const auto same = [&](const Gemm& each) { return each.r == gemm.r && each.p == gemm.p && each.c == gemm.c; };
    const auto at = std::find_if(gemms.begin(), gemms.end(), same);
    c.gemm = static_cast<std::size_t>(at - gemms.begin());
    if (at == gemms.end()) gemms.push_back(gemm);
    c.launches = std::int64_t{c.layer.batch} * c.layer.groups;
    c.macs = gemm.macs() * c.launches;
    found.push_back(std::move(c));
  }
  return found;
}

void add(dse::Target::Layer& layer, const Convolution& c) {
  layer.operations += 2.0 * static_cast<double>(c.macs);
  layer.gemms.emplace_back(c.gemm, c.launches);
}

std::optional<Published> published_of(const DseConfig& config, const std::string& layer) {
  for (const Published& each : config.published) {
    if (each.layer == layer) return each;
  }
  return std::nullopt;
}

std::optional<dse::Tile> tile_of(const std::optional<Published>& published) {
  if (!published) return std::nullopt;
  return published->tile;
}

// One for each distinct GEMM, one for each layer, and two for the network.
std::vector<dse::Target> targets_of(const Exploration& e) {
  std::vector<dse::Target> targets;
  for (std::size_t gemm = 0; gemm < e.gemms.size(); ++gemm) {
    targets.push_back({{{2.0 * static_cast<double>(e.gemms[gemm].macs()), {{gemm, 1}}}}, false, {}});
  }
  dse::Target all{{}, false, tile_of(e.published)};
  std::size_t at = 0;
  for (const LayerTile& layer : e.layers) {
    dse::Target::Layer& of = all.layers.emplace_back();
    for (; at < e.convolutions.size() && e.convolutions[at].layer.name == layer.layer; ++at)
      add(of, e.convolutions[at]);
    targets.push_back({{of}, false, tile_of(layer.published)});
  }
  for (const bool mean_rate : {false, true}) {
    all.mean_rate = mean_rate;
    targets.push_back(all);
  }
  return targets;
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

Cycles Exploration::optimal_cycles() const {
  constexpr const char* kCycles = "the cycles of all convolutions";
  Cycles cycles = 0;
  for (const Convolution& c : convolutions) {
    checked::add(cycles, checked::product(kCycles, {c.best.cycles, c.launches}), kCycles);
  }
  return cycles;
}

double Exploration::optimal_seconds() const {
  double seconds = 0;
  for (const Convolution& c : convolutions) seconds += best(c).seconds * static_cast<double>(c.launches);
  return seconds;
}

Exploration begun(const DseConfig& config, const workloads::Network& network) {
  Exploration result;
  result.config = config;
  result.network = network.name;
  check_published(config, network);
  result.convolutions = convolutions_of(config, network, result.gemms);
  for (const Convolution& c : result.convolutions) {
    if (!result.layers.empty() && result.layers.back().layer == c.layer.name) continue;
    result.layers.push_back({c.layer.name, published_of(config, c.layer.name), {}});
  }
  result.published = published_of(config, "");
  return result;
}

Exploration explore(const DseConfig& config, const workloads::Network& network, const weft::dse::Progress& progress) {
  Exploration result = begun(config, network);
  const std::vector<dse::Target> targets = targets_of(result);
  const dse::Problem problem = problem_of(config);
  std::vector<dse::Searched> parts(static_cast<std::size_t>(problem.r.count()));
  os::parallel_for(
      parts.size(), config.run.workers.value_or(os::processors()),
      [&](std::size_t i) { parts[i] = dse::search_rows(problem, result.gemms, targets, static_cast<std::int64_t>(i)); },
      [&](std::size_t done) {
        if (progress) progress("tiles", static_cast<std::int64_t>(done), static_cast<std::int64_t>(parts.size()));
      });
  dse::Searched searched;
  for (const dse::Searched& part : parts) dse::merge(targets, searched, part);
  result.tiles = searched.tiles;
  result.fitting = searched.fitting;
  if (result.fitting == 0) {
    const Alpha smallest = problem.alpha({problem.r.from, problem.c.from, problem.p.from});
    throw Error(fmt::format(
        "budget: no tile of the space fits; <{}, {}, {}> needs {} DSPs and {} BRAM18, the budget has {} and {}",
        smallest.tr, smallest.tc, smallest.tp, dsp_use(smallest, problem.dsp_per_element),
        ceil_div(bram_bits(smallest), kBlockBits), config.budget.dsp, config.budget.bram18));
  }
  auto optimum = searched.optima.begin();
  for (std::size_t i = 0; i < result.gemms.size(); ++i) result.by_gemm.push_back(*optimum++);
  for (LayerTile& layer : result.layers) layer.optimum = *optimum++;
  result.least_time = *optimum++;
  result.highest_mean = *optimum;
  for (Convolution& c : result.convolutions) {
    c.best = equations(problem.alpha(result.best(c).tile), result.gemms[c.gemm], problem.bandwidths);
  }
  return result;
}

}  // namespace weft::barista::exploration
