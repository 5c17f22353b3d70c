#include "platform/designs/fpgpt/synth/subject.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/core/error.h"
#include "model/fpgpt/sizing.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/designs/fpgpt/rtl_parameters.h"
#include "platform/designs/fpgpt/synth/estimate.h"
#include "platform/os/content.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {

namespace {

constexpr const char* kSamplesFile = "rtl_resources.csv";

// The instances of fpgpt_kernel by block, beside the FIFOs. Both variants' decode, feeder and constructor have the same
// instance name: their modules tell them apart.
struct Membership {
  const char* instance;
  const char* module;  // the end of its name, or ""
  RtlBlock block;
};
constexpr Membership kMembers[] = {
    {"u_regs", "", RtlBlock::Registers},
    {"u_beta", "", RtlBlock::Registers},
    {"u_activity", "", RtlBlock::Registers},
    {"u_precompute", "", RtlBlock::Precompute},
    {"u_inp_reader", "", RtlBlock::InpReader},
    {"u_inp_read_walker", "", RtlBlock::InpReader},
    {"u_inp_decode_walker", "", RtlBlock::InpReader},
    {"u_inp_decode", "", RtlBlock::InpDecode},
    {"u_inp_construct", "", RtlBlock::InpConstruct},
    {"u_im2col", "", RtlBlock::Im2col},
    {"u_kern_reader", "", RtlBlock::KernReader},
    {"u_kern_read_walker", "", RtlBlock::KernReader},
    {"u_kern_decode_walker", "", RtlBlock::KernReader},
    {"u_kern_decode", "kern_decode_gw", RtlBlock::KernDecodeGw},
    {"u_kern_decode", "", RtlBlock::KernDecodeFgi},
    {"u_kern_feeder", "kern_feeder_gw", RtlBlock::KernFeederGw},
    {"u_kern_feeder", "", RtlBlock::KernFeederFgi},
    {"u_array", "", RtlBlock::Array},
    {"u_out_constructor", "out_constructor_gw", RtlBlock::OutConstructorGw},
    {"u_out_constructor", "", RtlBlock::OutConstructorFgi},
    {"u_out_encode", "", RtlBlock::OutEncode},
    {"u_out_writer", "", RtlBlock::OutWriter},
};

RtlBlock block_of(const synth::Module::Instance& instance) {
  for (const Membership& member : kMembers) {
    if (instance.name == member.instance && instance.module.find(member.module) != std::string::npos)
      return member.block;
  }
  for (const FifoInfo& fifo : kFifoInfos) {
    if (instance.name == fmt::format("u_{}", fifo.name)) return RtlBlock::Fifos;
  }
  throw std::logic_error(fmt::format("fpgpt_kernel has an instance {} that belongs to no block", instance.name));
}

bool in_uram(const Alpha& alpha, RtlBlock block) {
  switch (block) {
    case RtlBlock::Im2col:
      return alpha.inp_storage == Storage::URAM;
    case RtlBlock::KernFeederFgi:
    case RtlBlock::KernFeederGw:
      return alpha.kern_storage == Storage::URAM;
    case RtlBlock::OutConstructorFgi:
    case RtlBlock::OutConstructorGw:
      return alpha.out_storage == Storage::URAM;
    default:
      return false;
  }
}

// Every training convolution of the layers that a kernel of `variant` runs.
std::vector<conv::Convolution> convolutions_of(const std::vector<conv::Layer>& layers, Variant variant) {
  std::vector<conv::Convolution> all;
  for (const conv::Layer& layer : layers) {
    for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
      if (runs(variant, kind)) all.push_back(workloads::lower(layer, kind, 0));
    }
  }
  return all;
}

// Variant auto is both.
SizedKernel sized_kernel(KernelConfig kernel, const std::function<std::vector<conv::Layer>()>& layers) {
  if (kernel.variant == VariantChoice::Auto) kernel.variant = VariantChoice::Both;
  SizedKernel result;
  result.alpha = alpha_of(kernel);
  if (kernel.band < 2) throw Error(fmt::format("band: the RTL's bus has 2 words a beat or more, not {}", kernel.band));
  if (kernel.fixed_sizes()) {
    result.max_sets = max_sets_of(result.alpha);
    return result;
  }
  const std::vector<conv::Convolution> all = convolutions_of(layers(), result.alpha.variant);
  const Alpha largest = fitted(result.alpha, all);
  const auto pick = [&](const Size& size, auto member) {
    if (size.fit != Size::Fit::Fixed) result.alpha.*member = largest.*member;
  };
  pick(kernel.z, &Alpha::z);
  pick(kernel.z_channel, &Alpha::z_channel);
  pick(kernel.k_range, &Alpha::k_range);
  pick(kernel.kern_words, &Alpha::kern_words);
  pick(kernel.out_words, &Alpha::out_words);
  for (const conv::Convolution& c : all) {
    result.max_sets = std::max(result.max_sets, ceil_div(c.out_map(), result.alpha.x));
  }
  return result;
}

class FpgptKernel : public synth::PreparedKernel {
 public:
  FpgptKernel(std::string name, const SizedKernel& sized) : name_(std::move(name)), sized_(sized) {}

  synth::Kernel kernel() const override { return synth_kernel(sized_.alpha, sized_.max_sets); }
  std::string text() const override {
    const Alpha& a = sized_.alpha;
    return fmt::format(
        "{}: {} x {} PEs{}, profile {}, variant {}, band {}, z {}, z_channel {}, kern_words {}, out_words {}, up to {} "
        "sets\n",
        name_, a.x, a.y, a.format.is_fixed() ? fmt::format(" of {} {}", to_string(a.packing), to_string(a.format)) : "",
        profile_text(a.profile), to_string(a.variant), a.bus_words(), a.z, a.z_channel, a.kern_words, a.out_words,
        sized_.max_sets);
  }
  bool has_block(std::size_t block) const override {
    return fpgpt::has_block(sized_.alpha.variant, static_cast<RtlBlock>(block));
  }
  std::vector<synth::Line> lines(const synth::BlockUse& use, std::optional<std::size_t> only) const override {
    return synth_lines(sized_, use, only);
  }

 private:
  std::string name_;
  SizedKernel sized_;
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
    return static_cast<std::size_t>(fpgpt::block_of(instance));
  }
  std::size_t top_block() const override { return static_cast<std::size_t>(RtlBlock::Wiring); }
  // The table of start(s) is none.
  bool is_buffer(const synth::Module::Instance& instance) const override { return instance.name != "u_start"; }

  std::unique_ptr<synth::PreparedKernel> sized(const config::Kernel& kernel,
                                               const std::function<std::vector<conv::Layer>()>& layers) const override {
    return std::make_unique<FpgptKernel>(kernel.name, sized_kernel(dynamic_cast<const KernelConfig&>(kernel), layers));
  }
  synth::Calibration calibrate(synth::Synthesis& synthesis) const override {
    const std::vector<Sample> samples = measure(synthesis);
    return {samples.size(),
            calibration_points().size(),
            {{kSamplesFile, to_csv(samples)},
             {"rtl_coefficients.inc", to_source(fit(samples, NumberFormat::Kind::Fp32))},
             {"rtl_coefficients_fixed.inc", to_source(fit(samples, NumberFormat::Kind::Fixed))}}};
  }
  std::vector<synth::CheckedKernel> calibration_errors(const std::filesystem::path& project) const override {
    return checked(read_csv(os::content(project / "model/fpgpt/analytical" / kSamplesFile), kSamplesFile));
  }
};

}  // namespace

const synth::Subject& synth_subject() {
  static const SynthSubject subject;
  return subject;
}

synth::Kernel synth_kernel(const Alpha& alpha, std::int64_t max_sets) {
  synth::Kernel kernel{rtl_kernel(alpha, max_sets), {}};
  for (std::size_t i = 0; i < kRtlBlocks; ++i) kernel.in_uram.push_back(in_uram(alpha, static_cast<RtlBlock>(i)));
  return kernel;
}

}  // namespace weft::fpgpt
