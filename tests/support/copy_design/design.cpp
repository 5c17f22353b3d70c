#include "tests/support/copy_design/design.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "kernels/fp32.h"
#include "platform/config/kernel_base.h"
#include "platform/config/model_config.h"
#include "platform/design/kernel_changes.h"
#include "tests/support/copy_design/copy_kernel.h"
#include "workloads/lowering.h"

namespace weft::copy_design {

namespace {

constexpr Bytes kPage = 4096;

class KernelConfig : public config::KernelBase<KernelConfig> {
 public:
  static constexpr const char* kDesign = "copy";

  int band = 16;  // words per beat
  int depth = topology().fifos[0].depth;
  std::vector<config::KernelPort> port_list{{"in", {}, {}}, {"out", {}, {}}};

  std::vector<config::KernelPort> ports() const override { return port_list; }
  Bytes beat_bytes() const override { return Bytes{band} * 4; }
  std::int64_t peak_macs() const override { return band; }
  config::KernelText text() const override {
    const std::string headline = fmt::format("{} words a cycle at {} MHz", band, config::exact_text(clock));
    return {headline, std::to_string(band), {{"band", std::int64_t{band}}}, {{"copies", headline}}};
  }
  std::vector<config::ReadingChoice> readings(const std::vector<config::ReadingChoice>& given) const override {
    if (!given.empty()) throw config::error_at(given.front().place, "readings", "a copy has no readings");
    return {};
  }

  static void fields(config::MapIo& io, KernelConfig& k) {
    io.integer("band", k.band, 1, 32);
    io.integer("depth", k.depth, 0, 64);
    io.exact("clock_mhz", k.clock, 1, 2000, config::Need::Required);
  }
};

// Copies of the inputs of the layers that the run chooses.
class Work : public design::Work {
 public:
  Work(config::RunConfig run, const workloads::Network& network) : run_(std::move(run)) {
    const KernelConfig& kernel = KernelConfig::of(run_);
    for (const config::Chosen& chosen : config::choose(run_, network.layers)) {
      design::Row row;
      row.layer = network.layers[chosen.layer];
      row.kind = chosen.kind;
      row.macs = workloads::tensor_words(row.layer, row.kind).inp;  // a copy's work is the words it moves
      row.kernel = {{"depth", std::int64_t{kernel.depth}}};
      row.bitstream = {kernel.band, kernel.depth};
      row.resources = {{"DSP", 0, config::budget(run_.board).dsp}};
      row.equations.cycles = ceil_div(row.macs, kernel.band);
      row.equations.limiter = "reader";
      row.equations.work = {row.equations.cycles, row.equations.cycles};
      row.launches = 1;
      row.cycles = row.equations.cycles;
      row.limiter = row.equations.limiter;
      rows_.push_back(std::move(row));
    }
  }

  std::vector<design::Row> rows() const override { return rows_; }
  std::vector<Unit> units() const override {
    std::vector<Unit> units;
    for (std::size_t i = 0; i < rows_.size(); ++i) units.push_back({i, rows_[i].equations.cycles});
    return units;
  }
  std::vector<std::int64_t> identity(std::size_t unit) const override { return {rows_[unit].macs}; }

  design::UnitResult simulate(std::size_t unit, std::uint64_t seed, const std::function<void(Cycles)>&) const override {
    const KernelConfig& kernel = KernelConfig::of(run_);
    const Words words = rows_[unit].macs;
    const memory::MemoryConfig memory_config = config::memory_config(run_);
    const std::vector<int> channels = config::port_channels(run_);
    CopyPlan plan;
    plan.with_data = run_.mode == config::Mode::Data;
    plan.source.words = words;
    plan.source.band = plan.target.band = kernel.band;
    const Address target = channels[0] == channels[1] ? align_up(words * 4, kPage) : 0;
    plan.target.base = target / 4;
    plan.target.run_words = words;
    plan.in_port = kernel.port_list[0].config;
    plan.out_port = kernel.port_list[1].config;
    plan.beat_bytes = kernel.beat_bytes();
    plan.depth = kernel.depth;
    plan.clock = kernel.clock;
    std::vector<memory::Store> stores;
    for (int i = 0; plan.with_data && i < 1 + std::max(channels[0], channels[1]); ++i) {
      stores.emplace_back(target + words * 4 + kPage);
    }
    const auto store = [&](std::size_t port) -> memory::Store& {
      return stores[static_cast<std::size_t>(channels[port])];
    };
    for (Words i = 0; plan.with_data && i < words; ++i) {
      store(0).floats(0)[i] = static_cast<float>((static_cast<std::uint64_t>(i) * 2654435761U + seed) % 1000);
    }
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(memory_config);
    design::UnitResult result = run_.rung == config::Rung::Exact ? run_stepped(plan, *memory, &stores, channels)
                                                                 : run_systemc(plan, *memory, &stores, channels);
    if (!plan.with_data) return result;
    const float *const from = store(0).floats(0), *const to = store(1).floats(target);
    result.data = design::check_outputs(
        words, words, [&](Words i) { return bits(to[i]); },
        [&](Words i) { return static_cast<double>(std::fabs(to[i] - from[i])); });
    return result;
  }

  // A copy has no registers: a pulse starts it.
  design::Launch launch(std::size_t) const override { return {0, 1, 1}; }
  std::vector<design::UnitTensor> tensors(std::size_t unit) const override {
    const design::Row& row = rows_[unit];
    const std::vector<int> channels = config::port_channels(run_);
    return {{"IN", false, row.macs * 4, channels[0]}, {"OUT", true, row.macs * 4, channels[1]}};
  }

  std::string limiter(const design::Row& row) const override {
    const bool writer = row.blocks[1].of(Activity::Active) > row.blocks[0].of(Activity::Active);
    return topology().blocks[writer ? 1 : 0].name;
  }

 private:
  config::RunConfig run_;
  std::vector<design::Row> rows_;
};

// The run with a number of its kernel doubled, if the result is at most `most`.
std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network) {
  return std::make_unique<Work>(run, network);
}

class CopyDesign : public design::DesignOf<KernelConfig, plan_work> {
 public:
  CopyDesign()
      : DesignOf(copy_design::topology(), Block::Writer,
                 {{{"band", "INTEGER", "words", "words of a beat"}},
                  {{"depth", "INTEGER", "beats", "beats that the FIFO holds"}},
                  {},
                  {},
                  {}}) {}
  std::string resource_source(const config::RunConfig&) const override { return "nothing: a copy takes none"; }
  design::EquationsNote equations_note(const config::RunConfig&) const override {
    design::EquationsNote note;
    note.unknown = {"memory.*"};
    return note;
  }
  std::vector<design::Counterfactual> counterfactuals(const config::RunConfig&) const override {
    return {design::larger("more_words", "twice the words a beat", &KernelConfig::band, 32),
            design::larger("deeper_fifo", "twice the beats that the FIFO holds", &KernelConfig::depth, 64),
            design::faster_ddr(), design::ideal_memory(), design::faster_clock()};
  }
};

}  // namespace

const design::Design& design() {
  static const CopyDesign copy;
  return copy;
}

}  // namespace weft::copy_design
