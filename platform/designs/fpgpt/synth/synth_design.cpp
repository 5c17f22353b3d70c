
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/core/error.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/fpgpt/analytical/rtl_resources.h"
#include "model/fpgpt/sizing.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/hardware/synth/calibration.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {

namespace {

// Instances of fpgpt_kernel by block, except the FIFOs. Decode, feeder and constructor have one instance name in both
// variants; their modules distinguish them.
struct Membership {
  const char* instance;
  const char* module;  // suffix of the module's name, or ""
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

// A kernel with the depth of its table of start(s).
struct SizedKernel {
  Alpha alpha;
  std::int64_t max_sets = 1;
};

// Fits the sizes of a kernel; variant auto becomes both.
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
  for_each_size([&](const char*, auto size, auto member) {
    if ((kernel.*size).fit != Size::Fit::Fixed) result.alpha.*member = largest.*member;
  });
  for (const conv::Convolution& c : all) {
    result.max_sets = std::max(result.max_sets, ceil_div(c.out_map(), result.alpha.x));
  }
  return result;
}

// Name of the equations' memory that is in a block; "": none.
std::string_view memory_of(RtlBlock block) {
  switch (block) {
    case RtlBlock::Im2col:
      return "INP";
    case RtlBlock::KernFeederFgi:
      return "KERN (F/GI)";
    case RtlBlock::KernFeederGw:
      return "KERN (GW)";
    case RtlBlock::OutConstructorFgi:
      return "OUT (F/GI)";
    case RtlBlock::OutConstructorGw:
      return "OUT (GW)";
    default:
      return "";
  }
}

class FpgptKernel : public synth::PreparedKernel {
 public:
  explicit FpgptKernel(const SizedKernel& sized) : sized_(sized) {}

  synth::Kernel kernel() const override { return synth_kernel(sized_.alpha, sized_.max_sets); }
  std::string text() const override {
    const Alpha& a = sized_.alpha;
    return fmt::format(
        "{} x {} PEs{}, profile {}, variant {}, band {}, z {}, z_channel {}, kern_words {}, out_words {}, up to {} "
        "sets\n",
        a.x, a.y, a.format.is_fixed() ? fmt::format(" of {} {}", to_string(a.packing), to_string(a.format)) : "",
        profile_text(a.profile), to_string(a.variant), a.bus_words(Port::Inp), a.z, a.z_channel, a.kern_words,
        a.out_words, sized_.max_sets);
  }
  std::string rtl_note() const override {
    return fmt::format(
        "a PE takes {}; its adder and small memories are in LUTs; DSPs outside the array compute addresses",
        sized_.alpha.format.is_fixed() ? "1 DSP, for the product (0 at 4 bits)"
                                       : "2 DSPs, for the product of two mantissas");
  }
  std::string thesis_note() const override {
    const NumberFormat format = sized_.alpha.format;
    return fmt::format(
        "Eqs. 5.14-5.22: {} DSPs a PE{}; blocks of INP, KERN and OUT alone, whole ones for each partition",
        dsp_per_pe(format), format.is_fixed() ? "" : ", the average of its Vitis HLS builds");
  }
  bool has_block(std::size_t block) const override {
    return fpgpt::has_block(sized_.alpha.variant, static_cast<RtlBlock>(block));
  }
  LogicUse model(std::size_t block) const override {
    return synthesised(static_cast<RtlBlock>(block), sized_.alpha, sized_.max_sets);
  }
  LogicUse memory_use(std::size_t block) const override {
    return fpgpt::memory_use(static_cast<RtlBlock>(block), sized_.alpha, sized_.max_sets);
  }
  std::vector<double> features(std::size_t block) const override {
    return fpgpt::features(static_cast<RtlBlock>(block), sized_.alpha, sized_.max_sets);
  }
  // DSPs of the PEs, and blocks of the INP, KERN and OUT memories.
  std::optional<synth::Thesis> thesis(std::optional<std::size_t> block) const override {
    const Resources thesis = resources(sized_.alpha);
    if (!block) return synth::Thesis{thesis.dsp, thesis.bram18, thesis.uram};
    if (*block == static_cast<std::size_t>(RtlBlock::Array)) return synth::Thesis{thesis.dsp, {}, {}};
    for (const MemoryUse& each : thesis.memories) {
      if (std::string_view(each.name) != memory_of(static_cast<RtlBlock>(*block))) continue;
      return each.storage == Storage::BRAM ? synth::Thesis{{}, each.blocks(), {}}
                                           : synth::Thesis{{}, {}, each.blocks()};
    }
    return {};
  }

  std::vector<std::string> cells() const override {
    const Alpha& a = sized_.alpha;
    std::vector<std::string> cells;
    for (const std::int64_t size : {Words{a.x}, Words{a.y}, Words{a.z}, Words{a.bus_words(Port::Inp)}, a.z_channel,
                                    a.kern_words, a.out_words, sized_.max_sets}) {
      cells.push_back(std::to_string(size));
    }
    cells.emplace_back(to_string(a.variant));
    for (const ProfileSwitch& each : kProfileSwitches) cells.emplace_back(a.profile.*each.on ? "1" : "0");
    cells.emplace_back(to_string(a.format));
    cells.emplace_back(to_string(a.packing));
    return cells;
  }
  const char* coefficients() const override {
    return sized_.alpha.format.is_fixed() ? "rtl_coefficients_fixed.inc" : "rtl_coefficients.inc";
  }
  synth::CheckedKernel described() const override {
    const Alpha& a = sized_.alpha;
    const std::string profile = profile_text(a.profile), variant = to_string(a.variant);
    const std::string numbers =
        a.format.is_fixed() ? fmt::format(" {} {}", to_string(a.packing), to_string(a.format)) : "";
    return {false,
            fmt::format("{}x{} z {} band {} {}{} {}", a.x, a.y, a.z, a.bus_words(Port::Inp), variant, numbers, profile),
            {{"x", a.x},
             {"y", a.y},
             {"z", a.z},
             {"band", a.bus_words(Port::Inp)},
             {"profile", profile},
             {"variant", variant},
             {"format", to_string(a.format)},
             {"packing", to_string(a.packing)}},
            {},
            {}};
  }

 private:
  SizedKernel sized_;
};

class KernelSynthDesign : public synth::SynthDesign {
 public:
  const rtl::Sources& sources() const override { return kRtlSources; }
  std::vector<std::string_view> blocks() const override { return {kRtlBlockNames.begin(), kRtlBlockNames.end()}; }
  std::size_t block_of(const synth::Module::Instance& instance) const override {
    return static_cast<std::size_t>(fpgpt::block_of(instance));
  }
  std::size_t top_block() const override { return static_cast<std::size_t>(RtlBlock::Wiring); }
  // All memories are buffers, except the table of start(s).
  bool is_buffer(const synth::Module::Instance& instance) const override { return instance.name != "u_start"; }

  std::unique_ptr<synth::PreparedKernel> sized(const config::Kernel& kernel,
                                               const std::function<std::vector<conv::Layer>()>& layers) const override {
    return std::make_unique<FpgptKernel>(sized_kernel(dynamic_cast<const KernelConfig&>(kernel), layers));
  }
  const char* folder() const override { return "model/fpgpt/analytical"; }
  const char* columns() const override {
    return "x,y,z,band,z_channel,kern_words,out_words,max_sets,variant,exact_bursts,overlap_drain,wide_kern_load,"
           "early_kern_feed,packed_gw_sets,format,packing";
  }
  std::shared_ptr<const synth::PreparedKernel> read(const std::vector<std::string>& cells,
                                                    const std::string& place) const override {
    std::size_t i = 0;
    const auto value = [&] { return synth::number(cells[i++], place); };
    SizedKernel sized;
    Alpha& a = sized.alpha;
    for (int Alpha::*size : {&Alpha::x, &Alpha::y, &Alpha::z}) a.*size = static_cast<int>(value());
    a.bus_bits = 32 * static_cast<int>(value());
    a.z_channel = value();
    a.k_range = a.kern_words = value();
    a.out_words = value();
    sized.max_sets = value();
    const std::string& variant = cells[i++];
    a.variant = variant == "fgi" ? Variant::FGI : variant == "gw" ? Variant::GW : Variant::Both;
    for (const ProfileSwitch& each : kProfileSwitches) a.profile.*each.on = value() != 0;
    const std::optional<NumberFormat> format = parse_number_format(cells[i]);
    if (!format) {
      throw Error(fmt::format("{}: there is no format '{}', only {}", place, cells[i], number_formats_text()));
    }
    a.format = *format;
    a.packing = cells[i + 1] == to_string(Packing::Padded) ? Packing::Padded : Packing::Packed;
    return std::make_shared<FpgptKernel>(sized);
  }
};

}  // namespace

const synth::SynthDesign& synth_design() {
  static const KernelSynthDesign synth_design;
  return synth_design;
}

synth::Kernel synth_kernel(const Alpha& alpha, std::int64_t max_sets) {
  synth::Kernel kernel{rtl_kernel(alpha, max_sets), {}};
  for (std::size_t i = 0; i < kRtlBlocks; ++i) kernel.in_uram.push_back(in_uram(alpha, static_cast<RtlBlock>(i)));
  return kernel;
}

}  // namespace weft::fpgpt
