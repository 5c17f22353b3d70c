
#include <algorithm>

#include "model/barista/analytical/equations.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/dse/grid.h"
#include "workloads/lowering.h"

namespace weft::barista {

namespace {

using dse::grid::Combination;

constexpr int kLargestSide = 4096;

// Eqs. 4.1 to 4.11 for the GEMMs of a network.
dse::grid::Equations equations_of(const dse::grid::GridConfig& config, const workloads::Network& network) {
  std::vector<conv::Layer> layers = network.layers;
  layers.insert(layers.end(), network.fc_layers.begin(), network.fc_layers.end());
  dse::grid::Equations all;
  std::vector<Gemm> gemms;  // distinct
  for (const config::Chosen& chosen : config::choose(config.run, layers)) {
    const conv::Layer& layer = layers[chosen.layer];
    const Gemm gemm = workloads::lower_gemm(layer, chosen.kind);
    const auto same = [&](const Gemm& each) { return each.r == gemm.r && each.p == gemm.p && each.c == gemm.c; };
    const auto at = std::find_if(gemms.begin(), gemms.end(), same);
    all.shapes.push_back(static_cast<std::size_t>(at - gemms.begin()));
    if (at == gemms.end()) {
      gemms.push_back(gemm);
      all.macs.push_back(gemm.macs());
    }
    dse::Convolution& c = all.convolutions.emplace_back();
    c.layer = layer.name;
    c.kind = chosen.kind;
    c.launches = std::int64_t{layer.batch} * layer.groups;
    c.macs = gemm.macs() * c.launches;
  }
  const auto alpha = [base = alpha_of(KernelConfig::of(config.run))](const Combination& tile) {
    Alpha alpha = base;
    alpha.tr = tile[0];
    alpha.tc = tile[1];
    alpha.tp = tile[2];
    return alpha;
  };
  const Readings readings = readings_of(config.run.readings);
  const Bandwidths bandwidths = barista::bandwidths(config.run, readings);
  all.resources = [alpha, dsp = dsp_per_element(readings)](const Combination& tile) {
    const Alpha kernel = alpha(tile);
    dse::Resources resources;
    resources.dsp = dsp_use(kernel, dsp);
    resources.bram_bits = bram_bits(kernel);
    resources.bram18 = bram18_of(*resources.bram_bits);
    return resources;
  };
  all.seconds = [alpha, bandwidths, gemms, overall = config.overall](const Combination& tile) {
    const Alpha kernel = alpha(tile);
    std::vector<double> seconds;
    seconds.reserve(gemms.size());
    for (const Gemm& gemm : gemms) {
      const EquationTerms terms = equations(kernel, gemm, bandwidths);
      seconds.push_back(overall ? terms.overall_seconds : terms.compute_seconds);  // Eq. 4.12, or its text
    }
    return seconds;
  };
  all.launch = [alpha, bandwidths, gemms](const Combination& tile, std::size_t shape) {
    const EquationTerms terms = equations(alpha(tile), gemms[shape], bandwidths);
    return dse::grid::Equations::Launch{terms.cycles, terms.memory_bound ? "memory" : "mesh"};
  };
  return all;
}

std::string refused(const config::RunConfig& run) {
  if (readings_of(run.readings).resources == Readings::Resources::Thesis) return "";
  return "readings.resources: must be thesis: Eqs. 4.10 and 4.11 are those "
         "that the search has";
}

}  // namespace

const dse::Explorer& explorer() {
  static const dse::grid::GridExplorer explorer({&design(),
                                                 {{"r", kLargestSide, false, {4, 128, 4}},
                                                  {"c", kLargestSide, false, {4, 128, 4}},
                                                  {"p", kLargestSide, false, {2, 256, 2}}},
                                                 "tile",
                                                 equations_of,
                                                 refused});
  return explorer;
}

}  // namespace weft::barista
