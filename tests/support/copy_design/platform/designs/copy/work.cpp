#include <cmath>
#include <utility>

#include "kernels/fp32.h"
#include "model/copy/analytical/rtl_resources.h"
#include "model/copy/kernel.h"
#include "model/copy/systemc/virtual_platform.h"
#include "platform/designs/copy/design.h"
#include "platform/designs/copy/row_work.h"

namespace weft::copy {

namespace {

// Each row is one unit: the tensor is moved in one launch.
class Work : public design::RowsWork<RowWork> {
 public:
  Work(config::RunConfig run, const workloads::Network& network)
      : RowsWork(std::move(run)), alpha_(alpha_of(KernelConfig::of(run_))) {
    rows_ = plan_rows(run_, network, alpha_);
    for (std::size_t row = 0; row < rows_.size(); ++row) units_.push_back({row, rows_[row].terms.cycles});
  }

  std::vector<std::int64_t> identity(std::size_t unit) const override { return {row_of(unit).words}; }

  design::UnitResult simulate(std::size_t unit, std::uint64_t seed,
                              const std::function<void(Cycles)>& report) const override {
    const Placement placement = placement_of(run_, row_of(unit).words);
    const Beta& beta = placement.beta;
    const bool with_data = run_.mode == config::Mode::Data;
    const Plan plan = make_plan(alpha_, beta, with_data);
    DataMemory data{with_data ? contents_of(placement, seed) : std::vector<memory::Store>(), placement.channel_of_port};
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(config::memory_config(run_));
    const auto run = [&] {
      if (run_.rung == config::Rung::Exact) {
        return run_exact(plan, *memory, with_data ? &data : nullptr, {false, report});
      }
      auto& platform = systemc::virtual_platform();
      platform.on_progress = report;
      return platform.run(plan, *memory, placement.channel_of_port, &data.channels);
    };
    design::UnitResult result = design::unit_result(run());
    if (run_.rung == config::Rung::Exact) result.account.simulated = result.cycles;
    if (!with_data) return result;
    const float *const from = data.of(Port::In).floats(beta.in), *const to = data.of(Port::Out).floats(beta.out);
    result.data = design::check_outputs(
        beta.words, beta.words, [&](Words i) { return bits(to[i]); },
        [&](Words i) { return static_cast<double>(std::fabs(to[i] - from[i])); });
    return result;
  }

  design::Launch launch(std::size_t) const override { return {kRegisterWrites, kToStart, kToDone}; }
  std::vector<design::UnitTensor> tensors(std::size_t unit) const override {
    const Bytes bytes = row_of(unit).words * 4;
    const std::vector<int> channels = config::port_channels(run_);
    return {{"IN", false, bytes, channels[0]}, {"OUT", true, bytes, channels[1]}};
  }
  std::string limiter(const design::Row& row) const override {
    const bool writer = row.blocks[1].of(Activity::Active) > row.blocks[0].of(Activity::Active);
    return kBlockInfos[writer ? 1 : 0].name;
  }

 private:
  void fill(design::Row& row, const RowWork& chosen, const Budget& budget) const override {
    const EquationTerms& t = chosen.terms;
    row.macs = chosen.words;  // its work is the words that it moves
    row.kernel = {{"depth", std::int64_t{alpha_.fifo[FifoId::Beat]}}};
    row.bitstream = {alpha_.band, alpha_.fifo[FifoId::Beat]};
    const LogicUse use = synthesised(alpha_);
    row.resources = {
        {"DSP", use.dsp, budget.dsp}, {"BRAM18", use.bram18, budget.bram18}, {"URAM", use.uram, budget.uram}};
    if (budget.lut) row.resources.push_back({"LUT", use.lut, *budget.lut});
    if (budget.ff) row.resources.push_back({"FF", use.ff, *budget.ff});
    row.launches = 1;
    row.pcie_to_card = row.pcie_to_host = chosen.words * 4;
    row.equations.cycles = t.cycles;
    row.equations.limiter = kBlockInfos[t.out_stalls > t.in_stalls ? 1 : 0].name;
    row.equations.work = {t.beats, t.beats};
    for (std::size_t i = 0; i < kBlocks; ++i) row.equations.terms.emplace_back(kBlockInfos[i].name, t.beats);
    row.equations.terms.emplace_back("in_stalls", t.in_stalls);
    row.equations.terms.emplace_back("out_stalls", t.out_stalls);
    row.equations.terms.emplace_back("limiter", row.equations.limiter);
  }

  Alpha alpha_;
};

}  // namespace

std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network) {
  return std::make_unique<Work>(run, network);
}

}  // namespace weft::copy
