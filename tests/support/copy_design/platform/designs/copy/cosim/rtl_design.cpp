#include "platform/hardware/cosim/rtl_design.h"

#include <fmt/core.h>

#include <memory>
#include <string>

#include "model/core/error.h"
#include "platform/designs/copy/cosim/launch_case.h"
#include "platform/designs/copy/design.h"
#include "platform/designs/copy/row_work.h"

namespace weft::copy {

rtl::Kernel rtl_kernel(const Alpha& alpha) {
  if (alpha.band < 2 || alpha.band > 32 || (alpha.band & (alpha.band - 1)) != 0) {
    throw Error(fmt::format("band: the RTL's bus has 2, 4, 8, 16 or 32 words a beat, not {}", alpha.band));
  }
  if (alpha.fifo[FifoId::Beat] < 1) throw Error("fifo.beat: the RTL's FIFO has 1 beat or more, not 0");
  return {kRtlSources,
          {{"Band", alpha.band},
           {"BeatDepth", alpha.fifo[FifoId::Beat]},
           {"InMaxBurstBeats", alpha.in.max_burst_beats},
           {"InOutstanding", alpha.in.outstanding},
           {"OutMaxBurstBeats", alpha.out.max_burst_beats},
           {"OutOutstanding", alpha.out.outstanding}}};
}

namespace {

class TestKernel : public cosim::RandomKernel {
 public:
  explicit TestKernel(const Alpha& alpha) : alpha_(alpha) {}

  cosim::Hardware hardware() const override { return copy::hardware(alpha_); }
  cosim::RandomCase draw(std::uint64_t seed, int build, int number) const override {
    return random_case(seed, build, number, alpha_);
  }
  cosim::KernelText text() const override {
    cosim::KernelText text;
    text.choices = {{"band", std::to_string(alpha_.band)}};
    text.parameters = {{"band", std::int64_t{alpha_.band}}};
    text.row = {std::to_string(alpha_.band)};
    text.fifo_depths = {alpha_.fifo[FifoId::Beat]};
    text.ports = {alpha_.in, alpha_.out};
    return text;
  }

 private:
  Alpha alpha_;
};

// Kernel in which faults are injected: FIFO of two beats, bursts of 3 beats, at most two open.
class SmallKernel : public cosim::FaultKernel {
 public:
  SmallKernel() {
    alpha_.band = 4;
    alpha_.fifo[FifoId::Beat] = 2;
    alpha_.in = alpha_.out = {3, 2};
  }

  cosim::Hardware hardware() const override { return copy::hardware(alpha_); }
  std::vector<cosim::RefusedCase> beyond_limits() const override { return refused_cases(); }
  // One word, and a tensor of several pages.
  std::vector<cosim::PlacedCase> at_limits(std::uint64_t seed) const override {
    cosim::Random random = cosim::random_of(seed, 0, -3);
    std::vector<cosim::PlacedCase> cases;
    for (const Words words : {1, 2500}) {
      cases.push_back(
          place(alpha_, words, cosim::three_channels(memory::MemoryKind::ddr4, alpha_.beat_bytes()), random));
    }
    return cases;
  }
  cosim::RandomCase random(std::uint64_t seed, int number) const override {
    return random_case(seed, 1, number, alpha_);
  }

 private:
  Alpha alpha_;
};

class RunLaunches : public cosim::RunCases {
 public:
  RunLaunches(const config::RunConfig& run, const workloads::Network& network)
      : run_(run), alpha_(alpha_of(KernelConfig::of(run))), rows_(plan_rows(run, network, alpha_)) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const RowWork& row = rows_[i];
      units_.push_back({i, row.terms.cycles, row.layer.name, conv::to_string(row.kind), row.layer.name});
    }
  }

  const std::vector<Unit>& units() const override { return units_; }
  cosim::Hardware hardware(std::size_t) const override { return copy::hardware(alpha_); }
  cosim::PlacedCase place(std::size_t unit, std::uint64_t seed) const override {
    const Placement placement = placement_of(run_, rows_[unit].words);
    const std::array<int, kPorts>& channels = placement.channel_of_port;
    return {std::make_unique<LaunchCase>(alpha_, placement.beta),
            contents_of(placement, seed),
            {config::memory_config(run_), {channels.begin(), channels.end()}, 0, seed}};
  }

 private:
  const config::RunConfig& run_;
  Alpha alpha_;
  std::vector<RowWork> rows_;
  std::vector<Unit> units_;
};

class ThisRtlDesign : public cosim::RtlDesign {
 public:
  const Topology& topology() const override { return copy::topology(); }
  const rtl::Sources& sources() const override { return kRtlSources; }
  const char* units() const override { return "launches"; }
  std::vector<const char*> kinds() const override { return {"launch"}; }
  std::vector<const char*> sizes() const override { return {"words"}; }
  std::unique_ptr<cosim::RunCases> plan(const config::RunConfig& run,
                                        const workloads::Network& network) const override {
    return std::make_unique<RunLaunches>(run, network);
  }
  std::vector<const char*> numbers() const override { return {"fp32"}; }
  std::unique_ptr<cosim::RandomKernel> random_kernel(std::uint64_t seed, int build,
                                                     const std::string& /*numbers*/) const override {
    return std::make_unique<TestKernel>(random_build(seed, build));
  }
  std::vector<std::string> row_titles() const override { return {"band"}; }
  std::string row_legend() const override { return "FIFO depth: beat"; }
  const char* faults() const override { return "../tests/support/copy_design/configs/cosim/mutants-copy.yaml"; }
  std::vector<const char*> small_kernels() const override { return {"small"}; }
  std::unique_ptr<cosim::FaultKernel> small_kernel(const std::string& /*name*/) const override {
    return std::make_unique<SmallKernel>();
  }
};

}  // namespace

const cosim::RtlDesign& rtl_design() {
  static const ThisRtlDesign rtl_design;
  return rtl_design;
}

}  // namespace weft::copy
