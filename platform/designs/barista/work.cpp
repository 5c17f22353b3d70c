#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/fp32.h"
#include "model/barista/kernel.h"
#include "model/barista/plan.h"
#include "model/barista/systemc/virtual_platform.h"
#include "model/memory/config.h"
#include "platform/config/model_config.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/designs/barista/row_work.h"
#include "platform/hardware/waves/counted_states.h"
#include "workloads/lowering.h"

namespace weft::barista {

namespace {

constexpr std::int64_t kRegisterWrites = 9;  // CONTRACT.md, BLC-1

// Digest of C's bits, and distance of about a thousand of its words from the same sums in double precision.
design::DataCheck check_data(const Gemm& gemm, const std::vector<float>& a, const std::vector<float>& b,
                             const std::vector<float>& c) {
  const auto word = [&](std::int64_t i) { return c[static_cast<std::size_t>(i)]; };
  const auto error = [&](std::int64_t i) {
    double sum = 0, magnitude = 0;
    for (std::int64_t p = 0; p < gemm.p; ++p) {
      const double product = static_cast<double>(a[static_cast<std::size_t>(i / gemm.c * gemm.p + p)]) *
                             b[static_cast<std::size_t>(p * gemm.c + i % gemm.c)];
      sum += product;
      magnitude += std::fabs(product);
    }
    return magnitude > 0 ? std::fabs(word(i) - sum) / magnitude : 0;
  };
  return design::check_outputs(
      gemm.r * gemm.c, 1024, [&](std::int64_t i) { return bits(word(i)); }, error);
}

// The same for integers: distance from the exact sums modulo 2^32 (BAR-10).
design::DataCheck check_integers(const Gemm& gemm, const std::vector<float>& a, const std::vector<float>& b,
                                 const std::vector<float>& c) {
  const auto integer = [](const std::vector<float>& of, std::int64_t i) {
    return static_cast<std::int32_t>(bits(of[static_cast<std::size_t>(i)]));
  };
  const auto error = [&](std::int64_t i) {
    std::int64_t sum = 0, magnitude = 0;
    for (std::int64_t p = 0; p < gemm.p; ++p) {
      const std::int64_t product =
          std::int64_t{integer(a, i / gemm.c * gemm.p + p)} * integer(b, p * gemm.c + i % gemm.c);
      sum += product;
      magnitude += std::abs(product);
    }
    const std::int64_t distance = std::abs(std::int64_t{integer(c, i)} - static_cast<std::int32_t>(sum));
    return magnitude > 0 ? static_cast<double>(distance) / static_cast<double>(magnitude) : 0;
  };
  return design::check_outputs(
      gemm.r * gemm.c, 1024, [&](std::int64_t i) { return static_cast<std::uint32_t>(integer(c, i)); }, error);
}

class Work : public design::RowsWork<RowWork>, public design::Watched, public design::Sampled {
 public:
  Work(config::RunConfig run, const workloads::Network& network)
      : RowsWork(std::move(run)), alpha_(alpha_of(KernelConfig::of(run_))), readings_(readings_of(run_.readings)) {
    rows_ = plan_rows(run_, network, alpha_, readings_);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::int64_t i = 0; i < rows_[row].count; ++i) {
        units_.push_back({row, rows_[row].terms.cycles, static_cast<int>(i % rows_[row].layer.groups)});
      }
    }
  }

  // Kernel and placement follow from the sizes; `zeros` moves PE-cycles between two classes.
  std::vector<std::int64_t> identity(std::size_t unit) const override {
    const Gemm& gemm = row_of(unit).gemm;
    return {gemm.r, gemm.p, gemm.c, gemm.zeros};
  }

  design::UnitResult simulate(std::size_t unit, std::uint64_t seed,
                              const std::function<void(Cycles)>& report) const override {
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(config::memory_config(run_));
    return multiply(unit, seed, *memory, report, run_.rung, nullptr);
  }

  design::UnitResult watch(std::size_t unit, std::uint64_t seed, const std::function<void(Cycles)>& report,
                           stream::Observer& observer) const override {
    const RowWork& row = row_of(unit);
    const memory::MemoryConfig config = config::memory_config(run_);
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(config);
    stream::Observed what{fmt::format("{}:{}", row.layer.name, conv::to_string(row.kind)), {}, &config};
    for (std::size_t i = 0; i < kFifos; ++i) what.fifo_depths.push_back(alpha_.fifo[static_cast<FifoId>(i)]);
    if (row.layer.batch > 1) what.name += fmt::format(" image {}", image_of(unit));
    if (row.layer.groups > 1) what.name += fmt::format(" group {}", units_[unit].group);
    observer.begin(what, *memory);
    design::UnitResult result = multiply(unit, seed, *memory, report, config::Rung::SystemC, &observer);
    observer.end(result.cycles);
    return result;
  }

  design::UnitActivity activity(std::size_t unit, std::uint64_t seed, const std::vector<Cycles>& cycles,
                                const std::function<void(Cycles)>& report) const override {
    waves::CountedStates counted(cycles);
    const auto done = [&](const design::UnitResult& result) {
      return design::UnitActivity{result.cycles, result.blocks, counted.up_to()};
    };
    if (run_.rung != config::Rung::Exact || run_.mode == config::Mode::Data) {
      return done(watch(unit, seed, report, counted));
    }
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(config::memory_config(run_));
    const design::UnitResult result = multiply(unit, seed, *memory, report, config::Rung::Exact, &counted);
    counted.end(result.cycles);
    return done(result);
  }

  // Launch overhead (BLC-1 to BLC-4).
  design::Launch launch(std::size_t unit) const override {
    const Placement placement = placement_of(run_, alpha_, row_of(unit).gemm);
    return {kRegisterWrites, params_visible(run_, placement) + kAfterParams, kDoneCycles};
  }

  std::vector<design::UnitTensor> tensors(std::size_t unit) const override {
    const Tiles tiles(alpha_, row_of(unit).gemm);
    const std::vector<int> channels = config::port_channels(run_);
    // B first: it holds the operand of im2col or col2im, a convolution's first input.
    return {{"B", false, tiles.b_words(alpha_) * 4, channels[1]},
            {"A", false, tiles.a_words(alpha_) * 4, channels[0]},
            {"C", true, tiles.c_words(alpha_) * 4, channels[2]}};
  }

  // As in the public host code: A, B, the sizes and C (as zeros) are made, all are migrated there and back, and C is
  // taken out of its tiles. F and GW multiply the output of im2col; GI ends with col2im. As in Caffe, 1 x 1 windows
  // that touch each sample once need neither. The images of GW are added up when C is taken out.
  std::optional<design::HostPrepared> host_prepared(std::size_t unit) const override {
    const RowWork& row = row_of(unit);
    const Tiles tiles(alpha_, row.gemm);
    const std::vector<int> channels = config::port_channels(run_);
    const Words a = tiles.a_words(alpha_), b = tiles.b_words(alpha_), c = tiles.c_words(alpha_);
    design::HostPrepared host_prepared;
    host_prepared.tiled = a + b + c;
    host_prepared.to_card = {{"A", a * 4, channels[0]},
                             {"B", b * 4, channels[1]},
                             {"params", alpha_.beat_bytes(), channels[0]},
                             {"C", c * 4, channels[2]}};
    host_prepared.to_host = host_prepared.to_card;
    host_prepared.untiled = c;
    if (!workloads::is_matrix(row.layer)) {
      if (conv::computed_as(row.layer, row.kind) == conv::Kind::GI) {
        host_prepared.col2im = row.gemm.r * row.gemm.c;
      } else {
        host_prepared.im2col_bytes = 4 * row.gemm.p * row.gemm.c;
      }
    }
    return host_prepared;
  }

  std::string limiter(const design::Row& row) const override { return topology().blocks[most_active(row.blocks)].name; }

 private:
  // Runs one GEMM on `rung`; an observer on the exact rung requires timing mode.
  design::UnitResult multiply(std::size_t unit, std::uint64_t seed, memory::Memory& memory,
                              const std::function<void(Cycles)>& report, config::Rung rung,
                              stream::Observer* observer) const {
    const Gemm& gemm = row_of(unit).gemm;
    const Placement placement = placement_of(run_, alpha_, gemm);
    const bool with_data = run_.mode == config::Mode::Data;
    const Plan plan = make_plan(alpha_, gemm, placement.bases, with_data);
    Contents contents;
    if (with_data) contents = contents_of(alpha_, gemm, placement, seed);
    DataMemory data{std::move(contents.channels), placement.channel_of_port};
    const auto run = [&] {
      if (rung == config::Rung::Exact) {
        return run_exact(plan, memory, with_data ? &data : nullptr, {false, report, observer});
      }
      auto& platform = systemc::virtual_platform();
      platform.on_progress = report;
      return platform.run(plan, memory, placement.channel_of_port, &data.channels, observer);
    };
    const GemmResult simulated = run();
    design::UnitResult result = design::unit_result(simulated);
    if (rung == config::Rung::Exact) result.account.simulated = simulated.cycles;
    if (with_data) {
      std::vector<float> c(static_cast<std::size_t>(gemm.r * gemm.c));
      untile_c(alpha_, gemm, data.of(Port::C).floats(placement.bases.c), c.data());
      const bool fixed = alpha_.format.is_fixed();
      result.data = (fixed ? check_integers : check_data)(gemm, contents.a, contents.b, c);
      if (fixed) result.data.overflows = simulated.overflows;
    }
    return result;
  }

  // Index of the unit's image: the units of a row are its images, each with all groups.
  std::int64_t image_of(std::size_t unit) const {
    std::size_t first = unit;
    while (first > 0 && units_[first - 1].row == units_[unit].row) --first;
    return static_cast<std::int64_t>(unit - first) / row_of(unit).layer.groups;
  }

  // Returns the total of all GEMMs of a row, of which one has `each` cycles, bytes, ... Throws checked::Overflow.
  static std::int64_t of_all(std::int64_t each, const RowWork& row) {
    return checked::product("the cycles, PE-cycles or bytes of all images and groups", {each, row.count});
  }

  design::Equations equations_of(const RowWork& row) const {
    const Tiles tiles(alpha_, row.gemm);
    const EquationTerms& t = row.terms;
    design::Equations all;
    all.cycles = of_all(t.cycles, row);
    all.limiter = t.memory_bound ? "memory" : "mesh";
    const std::int64_t beats = alpha_.band;
    const Cycles a = tiles.outputs() * tiles.k * (alpha_.a_tile_words() / beats),
                 b = tiles.outputs() * tiles.k * (alpha_.b_tile_words() / beats), rows = tiles.outputs() * alpha_.tr,
                 c = ceil_div(tiles.c_words(alpha_), beats);
    for (const Cycles each : {a, a, b, b, t.compute_cycles, rows, c, c}) all.work.push_back(of_all(each, row));
    for (std::size_t i = 0; i < kBlocks; ++i) all.terms.emplace_back(kBlockInfos[i].name, all.work[i]);
    all.summary = {{"r", row.gemm.r}, {"p", row.gemm.p}, {"c", row.gemm.c}};
    all.terms.insert(all.terms.end(), all.summary.begin(), all.summary.end());
    all.terms.emplace_back("compute", of_all(t.compute_cycles, row));
    all.terms.emplace_back("memory_bits", of_all(t.memory_bits, row));
    all.terms.emplace_back("pcie_bits", of_all(t.pcie_bits, row));
    all.terms.emplace_back("overall_seconds", t.overall_seconds * static_cast<double>(row.count));
    all.terms.emplace_back("limiter", all.limiter);
    return all;
  }

  void fill(design::Row& row, const RowWork& chosen, const Budget& budget) const override {
    const Tiles tiles(alpha_, chosen.gemm);
    row.macs = of_all(chosen.gemm.macs(), chosen);
    row.kernel = tile_values(alpha_);
    row.bitstream = {alpha_.tr, alpha_.tc, alpha_.tp, alpha_.partials, alpha_.format.bits};
    row.resources = resources(alpha_, readings_, budget);
    row.equations = equations_of(chosen);
    row.launches = chosen.count;
    // For each image all tiles of a GEMM are sent; migrations that are not needed are counted by the timeline.
    row.pcie_to_card = of_all(4 * (tiles.a_words(alpha_) + tiles.b_words(alpha_)), chosen);
    row.pcie_to_host = of_all(4 * tiles.c_words(alpha_), chosen);
    row.pe_cycles = pe_cycles_by_equations(chosen);
  }

  // PE-cycles by the equations: those of products, fill and final adds; nothing for the other classes.
  std::vector<std::optional<std::int64_t>> pe_cycles_by_equations(const RowWork& row) const {
    const PeCycles products = pe_cycles_of_products(alpha_, row.gemm);
    std::vector<std::optional<std::int64_t>> known(kPeClasses);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(PeClass::FinalAdd); ++i) known[i] = of_all(products[i], row);
    return known;
  }

  Alpha alpha_;
  Readings readings_;
};

}  // namespace

std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network) {
  return std::make_unique<Work>(run, network);
}

}  // namespace weft::barista
