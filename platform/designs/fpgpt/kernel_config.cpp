#include "platform/designs/fpgpt/kernel_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "platform/designs/fpgpt/design.h"

namespace weft::fpgpt {

namespace {

using config::describe;
using config::error_at;
using config::exact_text;
using config::MapReader;
using config::MapWriter;
using config::Names;
using config::Need;
using config::Node;
using config::scalar_node;

constexpr int kMaxArray = 4096;  // of one side; X * Y is bounded apart
constexpr std::int64_t kMaxProcessors = 1 << 20;
constexpr Words kMaxWords = Words{1} << 36;  // 256 GB: more than any device stores
constexpr Words kMaxZ = 1 << 20;             // words handed over in one cycle

enum class Base : std::uint8_t { Hls, Rtl };

const Names<Base>& bases() {
  static const Names<Base> names{{"hls", Base::Hls}, {"rtl", Base::Rtl}};
  return names;
}

const Names<VariantChoice>& variants() {
  static const Names<VariantChoice> names{{"auto", VariantChoice::Auto},
                                          {"fgi", VariantChoice::Fgi},
                                          {"gw", VariantChoice::Gw},
                                          {"both", VariantChoice::Both}};
  return names;
}

const Names<Storage>& storages() {
  static const Names<Storage> names{{"bram", Storage::BRAM}, {"uram", Storage::URAM}};
  return names;
}

const Names<Packing>& packings() {
  static const Names<Packing> names{{"packed", Packing::Packed}, {"padded", Packing::Padded}};
  return names;
}

Profile profile_of(Base base) {
  return base == Base::Rtl ? Profile::rtl() : Profile::hls();
}

template <class Io>
void size_field(Io& io, const char* key, Size& value, Words high = kMaxWords) {
  io.custom(
      key, Need::Optional,
      [&](const Node& node, const std::string& path) {
        if (node.kind == Node::Kind::Scalar && node.text == "auto") {
          value = {Size::Fit::Auto, 0};
        } else if (node.kind == Node::Kind::Scalar && node.text == "shared") {
          value = {Size::Fit::Shared, 0};
        } else {
          const bool word = node.kind == Node::Kind::Scalar &&
                            (node.quoted || node.text.find_first_not_of("0123456789+-") != std::string::npos);
          if (word || node.kind != Node::Kind::Scalar) {
            throw error_at(node.place, path,
                           fmt::format("must be a whole number of words, auto or shared, not {}", describe(node)));
          }
          value = {Size::Fit::Fixed, read_integer(node, path, 1, high)};
        }
      },
      [&] { return scalar_node(size_text(value)); });
}

// Files of FP32 need not say it, and words that fill their lanes lie alike in both packings.
template <class Io>
void format_fields(Io& io, KernelConfig& k) {
  io.custom(
      "format", Need::Optional,
      [&](const Node& node, const std::string& path) {
        const auto format =
            node.kind == Node::Kind::Scalar ? parse_number_format(node.text) : std::optional<NumberFormat>();
        if (!format) {
          throw error_at(node.place, path, fmt::format("must be {}, not {}", number_formats_text(), describe(node)));
        }
        k.format = *format;
      },
      [&] { return k.format.is_fixed() ? std::optional<Node>(scalar_node(to_string(k.format))) : std::nullopt; });
  io.custom(
      "packing", Need::Optional,
      [&](const Node& node, const std::string& path) {
        k.packing = packings()[read_choice(node, path, {"packed", "padded"})].second;
      },
      [&] { return k.format.is_fixed() ? std::optional<Node>(scalar_node(to_string(k.packing))) : std::nullopt; });
}

template <class Io>
void profile_field(Io& io, Profile& value) {
  io.custom(
      "profile", Need::Required,
      [&](const Node& node, const std::string& path) {
        if (node.kind == Node::Kind::Scalar) {
          value = profile_of(bases()[read_choice(node, path, {"hls", "rtl"})].second);
          return;
        }
        if (node.kind != Node::Kind::Map) {
          throw error_at(node.place, path,
                         fmt::format("must be hls, rtl, or a map with 'base' and switches, not {}", describe(node)));
        }
        MapReader reader(node, path);
        Base base = Base::Hls;
        reader.choice("base", base, bases(), Need::Required);
        value = profile_of(base);
        for (const ProfileSwitch& each : kProfileSwitches) reader.boolean(each.name, value.*each.on);
        reader.finish();
      },
      [&] {
        if (value == Profile::hls()) return scalar_node("hls");
        if (value == Profile::rtl()) return scalar_node("rtl");
        MapWriter writer;
        Base base = Base::Hls;
        writer.choice("base", base, bases());
        for (const ProfileSwitch& each : kProfileSwitches) writer.boolean(each.name, value.*each.on);
        return writer.take();
      });
}

std::string format_text(const KernelConfig& kernel) {
  return fmt::format("{} {}", to_string(kernel.packing), to_string(kernel.format));
}

}  // namespace

template <class Io>
void KernelConfig::fields(Io& io, KernelConfig& k) {
  config::kernel_head(io, k);
  io.map("array", Need::Required, [&](auto& sub) {
    sub.integer("x", k.x, 1, kMaxArray, Need::Required);
    sub.integer("y", k.y, 1, kMaxArray, Need::Required);
  });
  size_field(io, "z", k.z, kMaxZ);
  size_field(io, "z_channel", k.z_channel);
  size_field(io, "k_range", k.k_range);
  size_field(io, "kern_words", k.kern_words);
  size_field(io, "out_words", k.out_words);
  config::band_field(io, k.band);
  format_fields(io, k);
  io.choice("variant", k.variant, variants());
  config::clock_field(io, k);
  profile_field(io, k.profile);
  io.map("fifo", Need::Optional, [&](auto& sub) {
    // 0: a wire that is cut, which the run reports.
    for (std::size_t i = 0; i < kFifos; ++i) sub.integer(kFifoInfos[i].name, k.fifo.all()[i], 0, 65536);
  });
  io.map("ports", Need::Optional, [&](auto& sub) {
    sub.map("inp", Need::Optional, [&](auto& port) { config::port_fields(port, k.inp_port, k.channel[0]); });
    sub.map("kern", Need::Optional, [&](auto& port) { config::port_fields(port, k.kern_port, k.channel[1]); });
    sub.map("out", Need::Optional, [&](auto& port) { config::port_fields(port, k.out_port, k.channel[2]); });
  });
  io.map("storage", Need::Optional, [&](auto& sub) {
    sub.choice("inp", k.inp_storage, storages());
    sub.choice("kern", k.kern_storage, storages());
    sub.choice("out", k.out_storage, storages());
  });
  if constexpr (Io::kReads) {
    if (std::int64_t{k.x} * k.y > kMaxProcessors) {
      throw io.error("array",
                     fmt::format("{} x {} processing elements; at most {} are modelled", k.x, k.y, kMaxProcessors));
    }
  }
}
template void KernelConfig::fields(config::MapReader&, KernelConfig&);
template void KernelConfig::fields(config::MapWriter&, KernelConfig&);

bool KernelConfig::fixed_sizes() const {
  for (const Size* each : {&z, &z_channel, &k_range, &kern_words, &out_words}) {
    if (each->fit != Size::Fit::Fixed) return false;
  }
  return variant != VariantChoice::Auto;
}

std::vector<config::KernelPort> KernelConfig::ports() const {
  const std::array<const stream::PortConfig*, kPorts> configs{&inp_port, &kern_port, &out_port};
  std::vector<config::KernelPort> ports;
  for (std::size_t i = 0; i < kPorts; ++i) ports.push_back({topology().ports[i].name, *configs[i], channel[i]});
  return ports;
}

Bytes KernelConfig::beat_bytes() const {
  return alpha_of(*this).beat_bytes();
}

std::string KernelConfig::headline() const {
  const std::string of_format = format.is_fixed() ? fmt::format(" of {}", format_text(*this)) : "";
  return fmt::format("{} x {} PEs{} at {} MHz, profile {}", x, y, of_format, exact_text(clock), profile_text(profile));
}

std::vector<config::ReadingChoice> KernelConfig::readings(const std::vector<config::ReadingChoice>& given) const {
  return all_readings(profile, format, given);
}

std::string KernelConfig::shape() const {
  return fmt::format("{}x{}", x, y);
}

std::vector<std::pair<std::string, Value>> KernelConfig::summary() const {
  std::vector<std::pair<std::string, Value>> all{{"profile", profile_text(profile)}};
  if (format.is_fixed()) {
    all.emplace_back("format", to_string(format));
    all.emplace_back("packing", std::string(to_string(packing)));
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> KernelConfig::lines() const {
  std::string bursts;
  for (const config::KernelPort& port : ports()) {
    bursts += fmt::format("{}{} {} x {} beats", bursts.empty() ? "" : ", ", port.name, port.config.outstanding,
                          port.config.max_burst_beats);
  }
  const Alpha alpha = alpha_of(*this);
  const std::string bus = format.is_fixed()
                              ? fmt::format("{} bits: {} words of {} of INP and KERN, {} of OUT", alpha.bus_bits,
                                            alpha.band(Port::Inp), format_text(*this), alpha.band(Port::Out))
                              : fmt::format("{} words, {} bits", band, alpha.bus_bits);
  return {{"array", fmt::format("{} x {} = {} PEs at {} MHz, peak {:.2f} {}", x, y, peak_macs(), exact_text(clock),
                                2.0 * static_cast<double>(peak_macs()) * mhz(clock) / 1000,
                                format.is_fixed() ? "GOP/s" : "GFLOP/s")},
          {"profile", profile_text(profile)},
          {"variant", variants()[static_cast<std::size_t>(variant)].first},
          {"sizes", fmt::format("z {}, z_channel {}, k_range {}, kern_words {}, out_words {}", size_text(z),
                                size_text(z_channel), size_text(k_range), size_text(kern_words), size_text(out_words))},
          {"band", bus},
          {"bursts", bursts},
          {"storage", fmt::format("inp {}, kern {}, out {}", to_string(inp_storage), to_string(kern_storage),
                                  to_string(out_storage))}};
}

Alpha alpha_of(const KernelConfig& kernel) {
  Alpha alpha;
  alpha.x = kernel.x;
  alpha.y = kernel.y;
  alpha.z = static_cast<int>(kernel.z.words);
  alpha.z_channel = kernel.z_channel.words;
  alpha.k_range = kernel.k_range.words;
  alpha.kern_words = kernel.kern_words.words;
  alpha.out_words = kernel.out_words.words;
  alpha.bus_bits = kernel.band * kSumBits;
  alpha.format = kernel.format;
  alpha.packing = kernel.packing;
  alpha.variant = kernel.variant == VariantChoice::Fgi  ? Variant::FGI
                  : kernel.variant == VariantChoice::Gw ? Variant::GW
                                                        : Variant::Both;
  alpha.profile = kernel.profile;
  alpha.fifo = kernel.fifo;
  alpha.inp_port = kernel.inp_port;
  alpha.kern_port = kernel.kern_port;
  alpha.out_port = kernel.out_port;
  alpha.clock = kernel.clock;
  alpha.inp_storage = kernel.inp_storage;
  alpha.kern_storage = kernel.kern_storage;
  alpha.out_storage = kernel.out_storage;
  return alpha;
}

KernelConfig with_alpha(KernelConfig kernel, const Alpha& alpha) {
  const auto exactly = [](Words words) { return Size{Size::Fit::Fixed, words}; };
  kernel.x = alpha.x;
  kernel.y = alpha.y;
  kernel.z = exactly(alpha.z);
  kernel.z_channel = exactly(alpha.z_channel);
  // Nobody reads K_range of a kernel for F and GI; 0 is no size a kernel may be given.
  kernel.k_range = alpha.k_range > 0 ? exactly(alpha.k_range) : Size{};
  kernel.kern_words = exactly(alpha.kern_words);
  kernel.out_words = exactly(alpha.out_words);
  kernel.variant = alpha.variant == Variant::FGI  ? VariantChoice::Fgi
                   : alpha.variant == Variant::GW ? VariantChoice::Gw
                                                  : VariantChoice::Both;
  kernel.inp_storage = alpha.inp_storage;
  kernel.kern_storage = alpha.kern_storage;
  kernel.out_storage = alpha.out_storage;
  return kernel;
}

KernelConfig kernel_config_of(const Alpha& alpha) {
  KernelConfig kernel;
  kernel.clock = alpha.clock;
  kernel.profile = alpha.profile;
  kernel.band = alpha.bus_words();
  kernel.format = alpha.format;
  kernel.packing = alpha.packing;
  kernel.fifo = alpha.fifo;
  kernel.inp_port = alpha.inp_port;
  kernel.kern_port = alpha.kern_port;
  kernel.out_port = alpha.out_port;
  return with_alpha(kernel, alpha);
}

std::string size_text(const Size& size) {
  if (size.fit == Size::Fit::Auto) return "auto";
  if (size.fit == Size::Fit::Shared) return "shared";
  return std::to_string(size.words);
}

std::string profile_text(const Profile& profile) {
  const auto on = std::count_if(std::begin(kProfileSwitches), std::end(kProfileSwitches),
                                [&](const ProfileSwitch& each) { return profile.*each.on; });
  const bool rtl = 2 * on > static_cast<std::ptrdiff_t>(std::size(kProfileSwitches));
  std::string text = rtl ? "rtl" : "hls";
  for (const ProfileSwitch& each : kProfileSwitches) {
    if (profile.*each.on != rtl) text += fmt::format(" {} {}", rtl ? "-" : "+", each.name);
  }
  return text;
}

}  // namespace weft::fpgpt
