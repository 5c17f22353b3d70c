
#include <fmt/core.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/barista/analytical/equations.h"
#include "model/barista/analytical/rtl_resources.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/hardware/synth/calibration.h"

namespace weft::barista {

namespace {

struct Membership {
  const char* instance;
  RtlBlock block;
};
constexpr Membership kMembers[] = {
    {"u_regs", RtlBlock::Registers},   {"u_activity", RtlBlock::Registers}, {"u_launch", RtlBlock::Launch},
    {"u_a_reader", RtlBlock::AReader}, {"u_a_walker", RtlBlock::AReader},   {"u_a_fill", RtlBlock::AFill},
    {"u_a_tile", RtlBlock::ATile},     {"u_b_reader", RtlBlock::BReader},   {"u_b_walker", RtlBlock::BReader},
    {"u_b_fill", RtlBlock::BFill},     {"u_b_tile", RtlBlock::BTile},       {"u_mesh", RtlBlock::Mesh},
    {"u_c_tile", RtlBlock::CTile},     {"u_drain", RtlBlock::Drain},        {"u_encode", RtlBlock::Encode},
    {"u_c_writer", RtlBlock::CWriter}, {"u_a_beat", RtlBlock::Fifos},       {"u_b_beat", RtlBlock::Fifos},
    {"u_c_row", RtlBlock::Fifos},      {"u_c_beat", RtlBlock::Fifos},
};

class BaristaKernel : public synth::PreparedKernel {
 public:
  explicit BaristaKernel(const Alpha& alpha) : alpha_(alpha) {}

  synth::Kernel kernel() const override { return synth_kernel(alpha_); }
  std::string text() const override {
    const ElementPipelines p = element_pipelines(alpha_);
    return fmt::format("<{}, {}, {}>, {} partial sums, band {}; multipliers of {} registers, adders of {}\n", alpha_.tr,
                       alpha_.tc, alpha_.tp, alpha_.partials, alpha_.band, p.multiplier, p.adder);
  }
  std::string rtl_note() const override {
    return "an element takes 2 DSPs, for the product of two mantissas; its adder and the memories are in LUTs, "
           "buffer C in registers";
  }
  std::string thesis_note() const override {
    return fmt::format(
        "Eqs. 4.10 and 4.11: {} DSPs an element (reading B1); blocks for a tile of A, one of B, and the partial sums",
        dsp_per_element(Readings{}, alpha_.format));
  }
  LogicUse model(std::size_t block) const override { return synthesised(static_cast<RtlBlock>(block), alpha_); }
  LogicUse memory_use(std::size_t block) const override {
    return barista::memory_use(static_cast<RtlBlock>(block), alpha_);
  }
  std::vector<double> features(std::size_t block) const override {
    return barista::features(static_cast<RtlBlock>(block), alpha_);
  }
  // DSPs by Eq. 4.10; BRAM18s of a block by its share of Eq. 4.11: one tile of A, one of B, and the partial sums.
  std::optional<synth::Thesis> thesis(std::optional<std::size_t> block) const override {
    const BramBits bits = bram_bits_of(alpha_);
    const int dsp = dsp_use(alpha_, dsp_per_element(Readings{}, alpha_.format));
    if (!block) return synth::Thesis{dsp, bram18_of(bram_bits(alpha_)), {}};
    switch (static_cast<RtlBlock>(*block)) {
      case RtlBlock::ATile:
        return synth::Thesis{{}, bram18_of(bits.a), {}};
      case RtlBlock::BTile:
        return synth::Thesis{{}, bram18_of(bits.b), {}};
      case RtlBlock::Mesh:
        return synth::Thesis{dsp, bram18_of(bits.c), {}};
      default:
        return {};
    }
  }

  std::vector<std::string> cells() const override {
    std::vector<std::string> cells;
    for (const int size : {alpha_.tr, alpha_.tc, alpha_.tp, alpha_.partials, alpha_.band}) {
      cells.push_back(std::to_string(size));
    }
    return cells;
  }
  synth::CheckedKernel described() const override {
    const Alpha& a = alpha_;
    synth::CheckedKernel kernel;
    kernel.text = fmt::format("<{},{},{}> S1 {} band {}", a.tr, a.tc, a.tp, a.partials, a.band);
    kernel.fields = tile_values(a);
    kernel.fields.emplace_back("partial_sums", std::int64_t{a.partials});
    kernel.fields.emplace_back("band", std::int64_t{a.band});
    return kernel;
  }

 private:
  Alpha alpha_;
};

class KernelSynthDesign : public synth::SynthDesign {
 public:
  const rtl::Sources& sources() const override { return kRtlSources; }
  std::vector<std::string_view> blocks() const override { return {kRtlBlockNames.begin(), kRtlBlockNames.end()}; }
  std::size_t block_of(const synth::Module::Instance& instance) const override {
    for (const Membership& member : kMembers) {
      if (instance.name == member.instance) return static_cast<std::size_t>(member.block);
    }
    throw std::logic_error(fmt::format("barista_kernel has an instance {} that belongs to no block", instance.name));
  }
  std::size_t top_block() const override { return static_cast<std::size_t>(RtlBlock::Wiring); }
  // No buffer is in URAM.
  bool is_buffer(const synth::Module::Instance&) const override { return false; }

  std::unique_ptr<synth::PreparedKernel> sized(const config::Kernel& kernel,
                                               const std::function<std::vector<conv::Layer>()>&) const override {
    const Alpha alpha = alpha_of(dynamic_cast<const KernelConfig&>(kernel));
    require_fp32(alpha, "weft synth");
    return std::make_unique<BaristaKernel>(alpha);
  }
  const char* folder() const override { return "model/barista/analytical"; }
  const char* columns() const override { return "tr,tc,tp,s1,band"; }
  std::shared_ptr<const synth::PreparedKernel> read(const std::vector<std::string>& cells,
                                                    const std::string& place) const override {
    Alpha alpha;
    std::size_t i = 0;
    for (int Alpha::*size : {&Alpha::tr, &Alpha::tc, &Alpha::tp, &Alpha::partials, &Alpha::band}) {
      alpha.*size = static_cast<int>(synth::number(cells[i++], place));
    }
    return std::make_shared<BaristaKernel>(alpha);
  }
};

}  // namespace

const synth::SynthDesign& synth_design() {
  static const KernelSynthDesign synth_design;
  return synth_design;
}

synth::Kernel synth_kernel(const Alpha& alpha) {
  return {rtl_kernel(alpha), std::vector<bool>(kRtlBlocks, false)};
}

}  // namespace weft::barista
