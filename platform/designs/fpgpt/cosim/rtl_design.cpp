
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "platform/designs/fpgpt/cosim/kernel_case.h"
#include "platform/designs/fpgpt/cosim/random_case.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/work.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {

namespace {

constexpr const char* kFixed = "fixed";

std::string switches_text(const Profile& profile) {
  std::string text;
  for (const ProfileSwitch& each : kProfileSwitches) text += profile.*each.on ? '1' : '0';
  return text;
}

std::string format_text(const Alpha& alpha) {
  const bool either = lane_bits(alpha.format, Packing::Packed) == lane_bits(alpha.format, Packing::Padded);
  return to_string(alpha.format) + (either ? "" : std::string(" ") + to_string(alpha.packing));
}

class TestKernel : public cosim::RandomKernel {
 public:
  explicit TestKernel(const Alpha& alpha) : alpha_(alpha) {}

  cosim::Hardware hardware() const override { return fpgpt::hardware(alpha_, kRandomMaxSets); }

  cosim::RandomCase draw(std::uint64_t seed, int build, int number) const override {
    return to_case(campaign_case(seed, build, number, alpha_), alpha_);
  }

  cosim::KernelText text() const override {
    const Alpha& a = alpha_;
    cosim::KernelText text;
    text.choices = {{"variants", to_string(a.variant)}, {"formats", format_text(a)}};
    for (const ProfileSwitch& each : kProfileSwitches) text.switches.emplace_back(each.name, a.profile.*each.on);
    for (int i = 0; const char* size = filled_by(i, a.variant); ++i) text.filled.emplace_back(size);
    text.parameters = {{"x", a.x},
                       {"y", a.y},
                       {"z", a.z},
                       {"band", a.bus_words(Port::Inp)},
                       {"format", to_string(a.format)},
                       {"packing", to_string(a.packing)},
                       {"z_channel", a.z_channel},
                       {"k_range", a.k_range},
                       {"kern_words", a.kern_words},
                       {"out_words", a.out_words},
                       {"variant", to_string(a.variant)}};
    text.row = {
        std::to_string(a.x), std::to_string(a.y),  std::to_string(a.z),     std::to_string(a.bus_words(Port::Inp)),
        format_text(a),      to_string(a.variant), switches_text(a.profile)};
    text.fifo_depths.assign(a.fifo.all().begin(), a.fifo.all().end());
    text.ports = {a.inp_port, a.kern_port, a.out_port};
    return text;
  }

 private:
  Alpha alpha_;
};

class LimitKernel : public cosim::FaultKernel {
 public:
  explicit LimitKernel(const Alpha& alpha) : alpha_(alpha) {}

  cosim::Hardware hardware() const override { return fpgpt::hardware(alpha_, kLimitSets); }
  std::vector<cosim::RefusedCase> beyond_limits() const override {
    std::vector<cosim::RefusedCase> cases;
    for (const Beyond& beyond : convolutions_beyond_the_limits()) {
      cases.push_back(
          refused_case(workloads::lower(beyond.chosen.layer, beyond.chosen.kind), beyond.status, alpha_.format));
    }
    return cases;
  }
  std::vector<cosim::PlacedCase> at_limits(std::uint64_t seed) const override {
    std::vector<cosim::PlacedCase> cases;
    for (const Chosen& chosen : convolutions_at_the_limits()) {
      DataCase data = make_case(chosen.layer, chosen.kind, 0, alpha_, seed, {0, 1, 2}, chosen.firsts);
      cases.push_back({std::make_unique<KernelCase>(std::move(data.plan)), std::move(data.memory.channels),
                       cosim::three_channels(memory::MemoryKind::ddr4, alpha_.beat_bytes(Port::Inp))});
    }
    return cases;
  }
  cosim::RandomCase random(std::uint64_t seed, int number) const override {
    return to_case(random_case(seed, 0, number, alpha_), alpha_);
  }

 private:
  Alpha alpha_;
};

class FpgptRun : public cosim::RunCases {
 public:
  FpgptRun(const config::RunConfig& run, const workloads::Network& network)
      : run_(run), rows_(plan_rows(run, network, readings_of(run))), jobs_(jobs_of(rows_)) {
    const std::vector<std::int64_t> weights = weights_of(rows_, jobs_);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const RowWork& row = rows_[jobs_[i].row];
      const std::string& layer = row.layer.name;
      units_.push_back(
          {jobs_[i].row, weights[i], layer, conv::to_string(row.kind), layer + row.name_of(jobs_[i].launch)});
    }
    for (const RowWork& row : rows_) {
      for (const conv::Convolution& launch : row.launches) {
        max_sets_ = std::max(max_sets_, ceil_div(launch.out_map(), row.alpha.x));
      }
    }
  }

  const std::vector<Unit>& units() const override { return units_; }
  cosim::Hardware hardware(std::size_t unit) const override {
    return fpgpt::hardware(rows_[jobs_[unit].row].alpha, max_sets_);
  }
  cosim::PlacedCase place(std::size_t unit, std::uint64_t seed) const override {
    const RowWork& row = rows_[jobs_[unit].row];
    PlacedJob placed = place_job(run_, row, row.launches[jobs_[unit].launch], true, seed);
    cosim::AxiEnvironment environment{
        placed.memory, {placed.channel_of_port.begin(), placed.channel_of_port.end()}, 0, seed};
    return {std::make_unique<KernelCase>(std::move(placed.plan)), std::move(placed.stores), std::move(environment)};
  }

 private:
  const config::RunConfig& run_;
  std::vector<RowWork> rows_;
  std::vector<Job> jobs_;
  std::vector<Unit> units_;
  std::int64_t max_sets_ = 1;  // of all convolutions, so that they share builds
};

class KernelRtlDesign : public cosim::RtlDesign {
 public:
  const Topology& topology() const override { return fpgpt::topology(); }
  const rtl::Sources& sources() const override { return kRtlSources; }
  const char* units() const override { return "convolutions"; }
  std::vector<const char*> kinds() const override { return {"F", "GI", "GW"}; }
  std::vector<const char*> sizes() const override { return {"a", "n_inp", "n_kern", "c", "m", "out_map"}; }
  std::unique_ptr<cosim::RunCases> plan(const config::RunConfig& run,
                                        const workloads::Network& network) const override {
    return std::make_unique<FpgptRun>(run, network);
  }
  std::vector<const char*> numbers() const override { return {"fp32", kFixed}; }
  std::unique_ptr<cosim::RandomKernel> random_kernel(std::uint64_t seed, int build,
                                                     const std::string& numbers) const override {
    return std::make_unique<TestKernel>(random_build(seed, build, numbers == kFixed));
  }
  std::vector<std::string> row_titles() const override {
    return {"X", "Y", "Z", "band", "format", "variant", "profile"};
  }
  std::string row_legend() const override {
    std::string names;
    for (const ProfileSwitch& each : kProfileSwitches) names += (names.empty() ? "" : ", ") + std::string(each.name);
    return "profile: " + names + "; FIFO depths: as in CONTRACT.md";
  }
  const char* faults() const override { return "cosim/mutants.yaml"; }
  std::vector<const char*> small_kernels() const override { return {"rtl", "hls", kFixed}; }
  std::unique_ptr<cosim::FaultKernel> small_kernel(const std::string& name) const override {
    const Alpha fixed = limit_kernel(false, NumberFormat::fixed(12));
    return std::make_unique<LimitKernel>(name == kFixed ? fixed : limit_kernel(name == "hls"));
  }
};

}  // namespace

const cosim::RtlDesign& rtl_design() {
  static const KernelRtlDesign rtl_design;
  return rtl_design;
}

}  // namespace weft::fpgpt
