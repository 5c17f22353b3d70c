#include "platform/designs/barista/design.h"

#include <algorithm>

#include "model/barista/analytical/equations.h"
#include "model/barista/topology.h"
#include "platform/design/kernel_changes.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/dse/grid.h"
#include "workloads/lowering.h"

namespace weft::barista {

namespace {

design::ResultFields in_results() {
  return {{{"tile", "TEXT", "", "tiles <Tr, Tc, Tp>"},
           {"format", "TEXT", "", "number format of the operands, if not fp32"}},
          {{"tile_r", "INTEGER", "PEs", "rows of the mesh and of a tile"},
           {"tile_c", "INTEGER", "PEs", "columns of the mesh and of a tile"},
           {"tile_p", "INTEGER", "words", "products of a tile"}},
          {},
          {{"r", "INTEGER", "words", "rows of the GEMM of an image and group"},
           {"p", "INTEGER", "words", "products of an output of the GEMM"},
           {"c", "INTEGER", "words", "columns of the GEMM"}},
          {{"compute", "INTEGER", "cycles", "cycles of the mesh (Eq. 4.5)"},
           {"memory_bits", "INTEGER", "bits", "bits moved between kernel and memory (Eq. 4.2)"},
           {"pcie_bits", "INTEGER", "bits", "bits moved between host and card (Eq. 4.7)"},
           {"overall_seconds", "REAL", "s", "time of transfers and kernel (Eq. 4.9)"},
           {"limiter", "TEXT", "", "what limits the convolution by the equations: mesh or memory"}}};
}

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
  const NumberFormat format = KernelConfig::of(config.run).format;
  const int bits = word_bits(readings, format);
  all.resources = [alpha, readings, bits, dsp = dsp_per_element(readings, format)](const Combination& tile) {
    const Alpha kernel = alpha(tile);
    dse::Resources resources;
    resources.dsp = dsp_use(kernel, dsp);
    resources.bram_bits = bram_bits(kernel, bits);
    resources.bram18 = bram18(kernel, readings);
    return resources;
  };
  all.seconds = [alpha, bandwidths, gemms, bits, overall = config.overall](const Combination& tile) {
    const Alpha kernel = alpha(tile);
    std::vector<double> seconds;
    seconds.reserve(gemms.size());
    for (const Gemm& gemm : gemms) {
      const EquationTerms terms = equations(kernel, gemm, bandwidths, bits);
      seconds.push_back(overall ? terms.overall_seconds : terms.compute_seconds);  // Eq. 4.12, or as its text says
    }
    return seconds;
  };
  all.launch = [alpha, bandwidths, gemms, bits](const Combination& tile, std::size_t shape) {
    const EquationTerms terms = equations(alpha(tile), gemms[shape], bandwidths, bits);
    return dse::grid::Equations::Launch{terms.cycles, terms.memory_bound ? "memory" : "mesh"};
  };
  return all;
}

std::string refused(const config::RunConfig& run) {
  if (readings_of(run.readings).resources == Readings::Resources::Thesis) return "";
  return "readings.resources: must be thesis: the search uses Eqs. 4.10 and 4.11";
}

// Explorer of Eq. 4.13: the best tile of each convolution, of each layer and of a network.
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

constexpr int kMostSide = 4096;  // largest value in a file

design::Changed with_channels_apart(const config::RunConfig& run) {
  KernelConfig kernel = KernelConfig::of(run);
  const int channels = config::channels(run.board.memory);
  if (channels == 1) return design::Changed::impossible("the board has one channel");
  for (std::size_t i = 0; i < kPorts; ++i) {
    kernel.channel.at(i) = channels == 0 ? static_cast<int>(i) : std::min(static_cast<int>(i), channels - 1);
  }
  if (kernel.channel == KernelConfig::of(run).channel) return design::Changed::impossible("they are apart");
  return design::Changed::to(with_kernel(run, kernel));
}

class Barista : public design::DesignOf<KernelConfig, plan_work> {
 public:
  Barista() : DesignOf(barista::topology(), Block::Mesh, in_results()) {}
  std::string resource_source(const config::RunConfig& run) const override {
    return readings_of(run.readings).resources == Readings::Resources::Synthesis ? "the RTL's synthesis"
                                                                                 : "Eqs. 4.10 and 4.11";
  }
  design::EquationsNote equations_note(const config::RunConfig& run) const override {
    design::EquationsNote note;
    note.readings = all_readings(readings_of(run.readings));
    note.unknown = {"kernel.ports.*", "kernel.fifo.*"};
    return note;
  }
  std::vector<design::Counterfactual> counterfactuals(const config::RunConfig&) const override {
    return {{"channels_apart", "each port on a memory channel of its own", with_channels_apart},
            design::wider_ports<KernelConfig>(),
            design::more_bursts<KernelConfig>(),
            design::deeper_fifos<KernelConfig>(),
            design::larger("larger_r", "twice the rows of the mesh", &KernelConfig::tr, kMostSide),
            design::larger("larger_c", "twice the columns of the mesh", &KernelConfig::tc, kMostSide),
            design::larger("deeper_tiles", "twice the products of a tile", &KernelConfig::tp, kMostSide),
            design::faster_ddr(),
            design::ideal_memory(),
            design::faster_clock()};
  }
  const weft::dse::Explorer* explorer() const override { return &barista::explorer(); }
  std::vector<std::string> remarks(const config::RunConfig& run, const std::vector<design::Row>&) const override {
    return published_lines(run);
  }
  // REGISTERS.md: three tensors, and the beat of RT, CT and K, which port a reads.
  std::vector<design::KernelArgument> card_arguments(const config::Kernel&) const override {
    constexpr int kA = static_cast<int>(Port::A), kB = static_cast<int>(Port::B), kC = static_cast<int>(Port::C);
    return {{"A_BASE", 0x20, 8, kA}, {"B_BASE", 0x28, 8, kB}, {"PARAMS", 0x30, 8, kA}, {"C_BASE", 0x38, 8, kC}};
  }
};

}  // namespace

const design::Design& design() {
  static const Barista barista;
  return barista;
}

}  // namespace weft::barista
