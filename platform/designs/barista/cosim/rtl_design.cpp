
#include "platform/hardware/cosim/rtl_design.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "platform/config/model_config.h"
#include "platform/designs/barista/cosim/random_case.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/designs/barista/row_work.h"

namespace weft::barista {

namespace {

class TestKernel : public cosim::RandomKernel {
 public:
  explicit TestKernel(const Alpha& alpha) : alpha_(alpha) {}

  cosim::Hardware hardware() const override { return barista::hardware(alpha_); }
  cosim::RandomCase draw(std::uint64_t seed, int build, int number) const override {
    return random_case(seed, build, number, alpha_);
  }
  cosim::KernelText text() const override {
    const Alpha& a = alpha_;
    cosim::KernelText text;
    text.choices = {{"band", std::to_string(a.band)}};
    text.parameters = {{"tr", a.tr}, {"tc", a.tc}, {"tp", a.tp}, {"partials", a.partials}, {"band", a.band}};
    for (const auto& [name, value] : text.parameters) text.row.push_back(to_text(value));
    for (const FifoId fifo : kFreeFifos) text.fifo_depths.push_back(a.fifo[fifo]);
    text.ports = {a.a_port, a.b_port, a.c_port};
    return text;
  }

 private:
  Alpha alpha_;
};

// Kernels in which faults are injected. `odd`: no size divides another, FIFOs of one token, one burst at a time, tiles
// that the mesh finishes quickly. `wide`: more columns than words in a beat, long pipelines in the mesh, bursts of 256
// beats.
Alpha small_alpha(bool wide) {
  Alpha alpha;
  alpha.tr = wide ? 2 : 3;
  alpha.tc = wide ? 9 : 5;
  alpha.tp = wide ? 13 : 3;
  alpha.partials = wide ? 6 : 2;
  alpha.band = wide ? 4 : 8;
  for (const FifoId fifo : kFreeFifos) alpha.fifo[fifo] = wide ? 3 : 1;
  alpha.a_port = alpha.b_port = {wide ? 256 : 3, wide ? 4 : 1};
  alpha.c_port = {wide ? 256 : 3, wide ? 4 : 2};
  return alpha;
}

class SmallKernel : public cosim::FaultKernel {
 public:
  explicit SmallKernel(bool wide) : alpha_(small_alpha(wide)) {}

  cosim::Hardware hardware() const override { return barista::hardware(alpha_); }
  std::vector<cosim::RefusedCase> beyond_limits() const override { return refused_cases(); }
  // GEMMs of one tile, of full tiles, and with a C of several bursts of 256 beats.
  std::vector<cosim::PlacedCase> at_limits(std::uint64_t seed) const override {
    const auto environment = cosim::three_channels(memory::MemoryKind::ddr4, alpha_.beat_bytes());
    std::vector<cosim::PlacedCase> cases;
    cosim::Random random = cosim::random_of(seed, 0, -3);
    const std::int64_t tr = alpha_.tr, tc = alpha_.tc, tp = alpha_.tp;
    for (const Gemm& gemm : {Gemm{1, 1, 1, 0}, Gemm{tr, tp, tc, 0}, Gemm{12 * tr, 1, 12 * tc, 0}}) {
      cases.push_back(place(alpha_, gemm, environment, random));
    }
    return cases;
  }
  cosim::RandomCase random(std::uint64_t seed, int number) const override {
    return random_case(seed, 1, number, alpha_);
  }

 private:
  Alpha alpha_;
};

class BaristaRun : public cosim::RunCases {
 public:
  BaristaRun(const config::RunConfig& run, const workloads::Network& network)
      : run_(run),
        alpha_(alpha_of(KernelConfig::of(run))),
        rows_(plan_rows(run, network, alpha_, readings_of(run.readings))) {
    require_fp32(alpha_, "this command");
    for (std::size_t index = 0; index < rows_.size(); ++index) {
      const RowWork& row = rows_[index];
      const int groups = row.layer.groups;
      for (std::int64_t i = 0; i < row.count; ++i) {
        std::string name = row.layer.name;
        if (row.layer.batch > 1) name += fmt::format(" image {}", i / groups);
        if (groups > 1) name += fmt::format(" group {}", i % groups);
        units_.push_back({index, row.terms.cycles, row.layer.name, conv::to_string(row.kind), name});
      }
    }
  }

  const std::vector<Unit>& units() const override { return units_; }
  cosim::Hardware hardware(std::size_t) const override { return barista::hardware(alpha_); }
  cosim::PlacedCase place(std::size_t unit, std::uint64_t seed) const override {
    const Gemm& gemm = rows_[units_[unit].row].gemm;
    const Placement placement = placement_of(run_, alpha_, gemm);
    // LaunchRead::latency counts from the next cycle on.
    const Launch launch{Tiles(alpha_, gemm), placement.bases, placement.params,
                        params_visible(run_, placement) - kParamsSent - 1};
    const std::array<int, kPorts>& channels = placement.channel_of_port;
    return {std::make_unique<GemmCase>(make_plan(alpha_, gemm, placement.bases, true), launch),
            contents_of(alpha_, gemm, placement, seed).channels,
            {config::memory_config(run_), {channels.begin(), channels.end()}, 0, seed}};
  }

 private:
  const config::RunConfig& run_;
  Alpha alpha_;
  std::vector<RowWork> rows_;
  std::vector<Unit> units_;
};

class KernelRtlDesign : public cosim::RtlDesign {
 public:
  const Topology& topology() const override { return barista::topology(); }
  const rtl::Sources& sources() const override { return kRtlSources; }
  const char* units() const override { return "GEMMs"; }
  std::vector<const char*> kinds() const override { return {"GEMM"}; }
  std::vector<const char*> sizes() const override { return {"rt", "ct", "k"}; }
  std::unique_ptr<cosim::RunCases> plan(const config::RunConfig& run,
                                        const workloads::Network& network) const override {
    return std::make_unique<BaristaRun>(run, network);
  }
  std::vector<const char*> numbers() const override { return {"fp32"}; }
  std::unique_ptr<cosim::RandomKernel> random_kernel(std::uint64_t seed, int build,
                                                     const std::string& /*numbers*/) const override {
    return std::make_unique<TestKernel>(random_build(seed, build));
  }
  std::vector<std::string> row_titles() const override { return {"Tr", "Tc", "Tp", "S1", "band"}; }
  std::string row_legend() const override { return "FIFO depths: a_beat, b_beat, c_row, c_beat"; }
  const char* faults() const override { return "cosim/mutants-barista.yaml"; }
  std::vector<const char*> small_kernels() const override { return {"odd", "wide"}; }
  std::unique_ptr<cosim::FaultKernel> small_kernel(const std::string& name) const override {
    return std::make_unique<SmallKernel>(name == "wide");
  }
};

}  // namespace

const cosim::RtlDesign& rtl_design() {
  static const KernelRtlDesign rtl_design;
  return rtl_design;
}

}  // namespace weft::barista
