#include "platform/designs/barista/synth/subject.h"

#include <fmt/core.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/barista/analytical/equations.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/designs/barista/readings.h"
#include "platform/designs/barista/rtl_parameters.h"
#include "platform/designs/barista/synth/calibration.h"
#include "platform/os/content.h"

namespace weft::barista {

namespace {

constexpr const char* kSamplesFile = "rtl_resources.csv";

// The instances of barista_kernel by block.
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

// What Eqs. 4.10 and 4.11 say of a block. The BRAM18s that a share of 4.11 fills; 4.11 has one tile of A and of B, and
// the partial sums.
void add_thesis(synth::Line& line, RtlBlock block, const Alpha& alpha) {
  const BramBits bits = bram_bits_of(alpha);
  switch (block) {
    case RtlBlock::ATile:
      line.thesis = {{}, bram18_of(bits.a), {}};
      break;
    case RtlBlock::BTile:
      line.thesis = {{}, bram18_of(bits.b), {}};
      break;
    case RtlBlock::Mesh:
      line.thesis = {dsp_use(alpha, dsp_per_element(Readings{})), bram18_of(bits.c), {}};
      break;
    default:
      break;
  }
}

class BaristaKernel : public synth::PreparedKernel {
 public:
  BaristaKernel(std::string name, const Alpha& alpha) : name_(std::move(name)), alpha_(alpha) {}

  synth::Kernel kernel() const override { return synth_kernel(alpha_); }
  std::string text() const override {
    const ElementPipelines p = element_pipelines(alpha_);
    return fmt::format("{}: <{}, {}, {}>, {} partial sums, band {}; multipliers of {} registers, adders of {}\n", name_,
                       alpha_.tr, alpha_.tc, alpha_.tp, alpha_.partials, alpha_.band, p.multiplier, p.adder);
  }
  bool has_block(std::size_t) const override { return true; }
  std::vector<synth::Line> lines(const synth::BlockUse& use, std::optional<std::size_t> only) const override {
    std::vector<synth::Line> lines;
    synth::Line sum{
        "sum", {}, {}, synth::Thesis{dsp_use(alpha_, dsp_per_element(Readings{})), bram18_of(bram_bits(alpha_)), {}}};
    for (std::size_t i = 0; i < kRtlBlocks; ++i) {
      if (only && *only != i) continue;
      const auto block = static_cast<RtlBlock>(i);
      synth::Line line{std::string(to_string(block)), use[i], synthesised(block, alpha_), {}};
      add_thesis(line, block, alpha_);
      sum.synthesised += line.synthesised;
      sum.model += line.model;
      lines.push_back(line);
    }
    if (!only) lines.push_back(sum);
    return lines;
  }

 private:
  std::string name_;
  Alpha alpha_;
};

class SynthSubject : public synth::Subject {
 public:
  const rtl::Sources& sources() const override { return kRtlSources; }
  std::vector<std::string_view> blocks() const override {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < kRtlBlocks; ++i) names.push_back(to_string(static_cast<RtlBlock>(i)));
    return names;
  }
  std::size_t block_of(const synth::Module::Instance& instance) const override {
    for (const Membership& member : kMembers) {
      if (instance.name == member.instance) return static_cast<std::size_t>(member.block);
    }
    throw std::logic_error(fmt::format("barista_kernel has an instance {} that belongs to no block", instance.name));
  }
  std::size_t top_block() const override { return static_cast<std::size_t>(RtlBlock::Wiring); }
  // No buffer lies in URAM.
  bool is_buffer(const synth::Module::Instance&) const override { return false; }

  std::unique_ptr<synth::PreparedKernel> sized(const config::Kernel& kernel,
                                               const std::function<std::vector<conv::Layer>()>&) const override {
    return std::make_unique<BaristaKernel>(kernel.name, alpha_of(dynamic_cast<const KernelConfig&>(kernel)));
  }
  synth::Calibration calibrate(synth::Synthesis& synthesis) const override {
    const std::vector<Sample> samples = measure(synthesis);
    return {samples.size(),
            calibration_points().size(),
            {{kSamplesFile, to_csv(samples)}, {"rtl_coefficients.inc", to_source(fit(samples))}}};
  }
  std::vector<synth::CheckedKernel> calibration_errors(const std::filesystem::path& project) const override {
    return checked(read_csv(os::content(project / "model/barista/analytical" / kSamplesFile), kSamplesFile));
  }
};

}  // namespace

const synth::Subject& synth_subject() {
  static const SynthSubject subject;
  return subject;
}

synth::Kernel synth_kernel(const Alpha& alpha) {
  return {rtl_kernel(alpha), std::vector<bool>(kRtlBlocks, false)};
}

}  // namespace weft::barista
