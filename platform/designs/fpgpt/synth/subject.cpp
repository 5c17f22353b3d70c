
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

// A kernel with the depth of its table of start(s).
struct SizedKernel {
  Alpha alpha;
  std::int64_t max_sets = 1;
};

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
  for_each_size([&](const char*, auto size, auto member) {
    if ((kernel.*size).fit != Size::Fit::Fixed) result.alpha.*member = largest.*member;
  });
  for (const conv::Convolution& c : all) {
    result.max_sets = std::max(result.max_sets, ceil_div(c.out_map(), result.alpha.x));
  }
  return result;
}

// The memory of the equations that is in a block; "": none.
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
  LogicUse model(std::size_t block) const override {
    return synthesised(static_cast<RtlBlock>(block), sized_.alpha, sized_.max_sets);
  }
  LogicUse memory_use(std::size_t block) const override {
    return fpgpt::memory_use(static_cast<RtlBlock>(block), sized_.alpha, sized_.max_sets);
  }
  std::vector<double> features(std::size_t block) const override {
    return fpgpt::features(static_cast<RtlBlock>(block), sized_.alpha, sized_.max_sets);
  }
  // The PEs' DSPs, and the memories of INP, KERN and OUT.
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
    for (const std::int64_t size : {Words{a.x}, Words{a.y}, Words{a.z}, Words{a.bus_words()}, a.z_channel, a.kern_words,
                                    a.out_words, sized_.max_sets}) {
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
            fmt::format("{}x{} z {} band {} {}{} {}", a.x, a.y, a.z, a.bus_words(), variant, numbers, profile),
            {{"x", a.x},
             {"y", a.y},
             {"z", a.z},
             {"band", a.bus_words()},
             {"profile", profile},
             {"variant", variant},
             {"format", to_string(a.format)},
             {"packing", to_string(a.packing)}},
            {},
            {}};
  }

 private:
  std::string name_;
  SizedKernel sized_;
};

constexpr Profile kHls = Profile::hls();
constexpr Profile kRtl = Profile::rtl();
constexpr Profile kWide{false, false, true, false, false};   // KERN stored a beat a cycle, rows skewed
constexpr Profile kOverlap{true, true, false, true, false};  // KERN stored a word a cycle, rows not skewed
constexpr auto kBoth = Variant::Both;
constexpr auto kFgi = Variant::FGI;
constexpr auto kGw = Variant::GW;
constexpr auto kPacked = Packing::Packed;
constexpr auto kPadded = Packing::Padded;
constexpr NumberFormat fxp(int bits) {
  return NumberFormat::fixed(bits);
}

struct Row {
  int x, y, z, band;
  Words z_channel, kern_words, out_words;
  std::int64_t max_sets;
  Profile profile;
  Variant variant;
  bool test;
  Packing packing = Packing::Packed;
  NumberFormat format = NumberFormat::fp32();
};

// Small kernels, so that all of it takes minutes: the forms are linear in what is replicated. Memories of one word to
// several BRAMs deep.
constexpr Row kRows[] = {
    {2, 2, 4, 4, 128, 256, 512, 64, kHls, kBoth, false},
    {4, 2, 8, 8, 512, 1024, 1024, 64, kRtl, kBoth, false},
    {4, 4, 8, 16, 512, 4096, 4096, 64, kHls, kBoth, false},
    {4, 8, 8, 8, 512, 8192, 4096, 64, kWide, kBoth, false},
    {8, 8, 16, 16, 1024, 16384, 16384, 256, kHls, kBoth, false},
    {2, 8, 4, 4, 128, 2048, 1024, 64, kOverlap, kBoth, false},
    {8, 2, 8, 8, 512, 1024, 8192, 64, kWide, kBoth, false},
    {3, 5, 6, 8, 300, 1024, 1024, 64, kHls, kBoth, false},
    {8, 4, 8, 16, 512, 4096, 8192, 256, kRtl, kFgi, false},
    {2, 4, 4, 8, 128, 1024, 1024, 64, kHls, kFgi, false},
    {4, 8, 8, 4, 512, 8192, 4096, 64, kHls, kGw, false},
    {8, 2, 4, 4, 128, 1024, 8192, 64, kRtl, kGw, false},
    {6, 3, 5, 8, 200, 1024, 1024, 64, kRtl, kBoth, true},
    {2, 4, 8, 16, 512, 4096, 1024, 64, kOverlap, kBoth, true},
    {8, 4, 4, 8, 128, 4096, 8192, 64, kHls, kFgi, true},
    {8, 8, 8, 4, 512, 8192, 8192, 64, kRtl, kGw, true},
    {2, 2, 4, 4, 128, 256, 512, 64, kHls, kBoth, false, kPacked, fxp(8)},
    {4, 2, 8, 2, 512, 1024, 1024, 64, kRtl, kBoth, false, kPacked, fxp(8)},
    {4, 4, 8, 8, 512, 4096, 4096, 64, kHls, kBoth, false, kPacked, fxp(16)},
    {4, 8, 8, 4, 512, 8192, 4096, 64, kWide, kBoth, false, kPadded, fxp(12)},
    {8, 8, 16, 4, 1024, 16384, 16384, 256, kHls, kBoth, false, kPacked, fxp(8)},
    {2, 8, 4, 2, 128, 2048, 1024, 64, kOverlap, kBoth, false, kPacked, fxp(14)},
    {8, 2, 8, 4, 512, 1024, 8192, 64, kWide, kBoth, false, kPacked, fxp(16)},
    {3, 5, 6, 4, 300, 1024, 1024, 64, kHls, kBoth, false, kPacked, fxp(12)},
    {8, 4, 8, 8, 512, 4096, 8192, 256, kRtl, kFgi, false, kPacked, fxp(12)},
    {2, 4, 4, 4, 128, 1024, 1024, 64, kHls, kFgi, false, kPacked, fxp(4)},
    {4, 8, 8, 2, 512, 8192, 4096, 64, kHls, kGw, false, kPacked, fxp(16)},
    {8, 2, 4, 2, 128, 1024, 8192, 64, kRtl, kGw, false, kPacked, fxp(6)},
    {4, 4, 4, 8, 256, 2048, 2048, 64, kRtl, kBoth, false, kPacked, fxp(8)},
    {6, 4, 12, 4, 384, 2048, 2048, 64, kHls, kBoth, true, kPacked, fxp(10)},
    {4, 6, 10, 4, 320, 2048, 2048, 64, kWide, kBoth, false, kPadded, fxp(5)},
    {5, 3, 7, 8, 256, 1024, 1024, 64, kOverlap, kBoth, false, kPacked, fxp(16)},
    {6, 3, 5, 4, 200, 1024, 1024, 64, kRtl, kBoth, false, kPacked, fxp(8)},
    {2, 4, 8, 8, 512, 4096, 1024, 64, kOverlap, kBoth, true, kPacked, fxp(12)},
    {8, 4, 4, 4, 128, 4096, 8192, 64, kHls, kFgi, true, kPacked, fxp(16)},
    {8, 8, 8, 2, 512, 8192, 8192, 64, kRtl, kGw, true, kPadded, fxp(14)},
};

std::shared_ptr<const FpgptKernel> kernel_of(const Row& row) {
  Alpha a;
  a.x = row.x;
  a.y = row.y;
  a.z = row.z;
  a.bus_bits = 32 * row.band;
  a.z_channel = row.z_channel;
  a.k_range = row.kern_words;
  a.kern_words = row.kern_words;
  a.out_words = row.out_words;
  a.profile = row.profile;
  a.variant = row.variant;
  a.format = row.format;
  a.packing = row.packing;
  return std::make_shared<FpgptKernel>("", SizedKernel{a, row.max_sets});
}

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
  const char* folder() const override { return "model/fpgpt/analytical"; }
  const char* columns() const override {
    return "x,y,z,band,z_channel,kern_words,out_words,max_sets,variant,exact_bursts,overlap_drain,wide_kern_load,"
           "early_kern_feed,packed_gw_sets,format,packing";
  }
  std::vector<synth::CalibrationKernel> calibration_kernels() const override {
    std::vector<synth::CalibrationKernel> kernels;
    for (const Row& row : kRows) kernels.push_back({kernel_of(row), row.test});
    return kernels;
  }
  std::shared_ptr<const synth::PreparedKernel> read(const std::vector<std::string>& cells,
                                                    const std::string& place) const override {
    const auto value = [&](std::size_t i) { return synth::number(cells[i], place); };
    Row row{};
    std::size_t i = 0;
    for (int Row::*size : {&Row::x, &Row::y, &Row::z, &Row::band}) row.*size = static_cast<int>(value(i++));
    for (Words Row::*words : {&Row::z_channel, &Row::kern_words, &Row::out_words, &Row::max_sets}) {
      row.*words = value(i++);
    }
    const std::string& variant = cells[i++];
    row.variant = variant == "fgi" ? kFgi : variant == "gw" ? kGw : kBoth;
    for (const ProfileSwitch& each : kProfileSwitches) row.profile.*each.on = value(i++) != 0;
    const std::optional<NumberFormat> format = parse_number_format(cells[i]);
    if (!format) {
      throw Error(fmt::format("{}: there is no format '{}', only {}", place, cells[i], number_formats_text()));
    }
    row.format = *format;
    row.packing = cells[i + 1] == to_string(kPadded) ? kPadded : kPacked;
    return kernel_of(row);
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
