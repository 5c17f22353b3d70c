#include "platform/designs/fpgpt/kernel_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "platform/config/reading_table.h"
#include "platform/designs/fpgpt/design.h"

namespace weft::fpgpt {

namespace {

using config::describe;
using config::error_at;
using config::exact_text;
using config::MapReader;
using config::Names;
using config::Need;
using config::Node;
using config::scalar_node;

constexpr int kMaxArray = 4096;  // of one side; X * Y is limited separately
constexpr std::int64_t kMaxProcessors = 1 << 20;
constexpr Words kMaxWords = Words{1} << 36;  // 256 GB: more than any device stores
constexpr Words kMaxZ = 1 << 20;             // words transferred in one cycle

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

const Names<Split>& splits() {
  static const Names<Split> names{{"none", Split::None}, {"filters", Split::Filters}};
  return names;
}

const Names<Packing>& packings() {
  static const Names<Packing> names{{"packed", Packing::Packed}, {"padded", Packing::Padded}};
  return names;
}

Profile profile_of(Base base) {
  return base == Base::Rtl ? Profile::rtl() : Profile::hls();
}

void size_field(config::MapIo& io, const char* key, Size& value, Words high) {
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
      [&] { return scalar_node(size_text(value)); },
      [=] {
        return config::schema::any_of({config::schema::choice({"auto", "shared"}), config::schema::integer(1, high)});
      });
}

// `packing` is optional for words that fill their lanes: both packings are then equal.
void format_fields(config::MapIo& io, KernelConfig& k) {
  config::format_field(io, k.format);
  io.custom(
      "packing", Need::Optional,
      [&](const Node& node, const std::string& path) {
        k.packing = packings()[read_choice(node, path, {"packed", "padded"})].second;
      },
      [&] { return k.format.is_fixed() ? std::optional<Node>(scalar_node(to_string(k.packing))) : std::nullopt; },
      [] {
        return config::schema::choice({"packed", "padded"});
      });
}

// Not written if none: a kernel that holds its convolutions needs no word about others.
void split_field(config::MapIo& io, Split& split) {
  io.custom(
      "split_by", Need::Optional,
      [&](const Node& node, const std::string& path) {
        split = splits()[read_choice(node, path, {"none", "filters"})].second;
      },
      [&] { return split == Split::None ? std::nullopt : std::optional<Node>(scalar_node("filters")); },
      [] {
        Node shape = config::schema::choice({"none", "filters"});
        shape.set("default", scalar_node("none", true));
        return shape;
      });
}

// A base and switches that differ from it. A written profile has all switches.
void switches(config::MapIo& io, Profile& value) {
  Base base = Base::Hls;
  io.choice("base", base, bases(), Need::Required);
  if (io.reader()) value = profile_of(base);
  for (const ProfileSwitch& each : kProfileSwitches) io.boolean(each.name, value.*each.on);
}

void profile_field(config::MapIo& io, Profile& value) {
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
        config::read_map(node, path, value, switches);
      },
      [&] {
        if (value == Profile::hls()) return scalar_node("hls");
        if (value == Profile::rtl()) return scalar_node("rtl");
        return config::write_map(value, switches);
      },
      [] {
        return config::schema::any_of(
            {config::schema::choice({"hls", "rtl"}), config::describe_map(Profile::hls(), switches)});
      });
}

std::string format_text(const KernelConfig& kernel) {
  return fmt::format("{} {}", to_string(kernel.packing), to_string(kernel.format));
}

}  // namespace

void KernelConfig::fields(config::MapIo& io, KernelConfig& k) {
  io.map("array", Need::Required, [&](config::MapIo& sub) {
    sub.integer("x", k.x, 1, kMaxArray, Need::Required);
    sub.integer("y", k.y, 1, kMaxArray, Need::Required);
  });
  for_each_size([&](const char* key, auto size, auto) {
    size_field(io, key, k.*size, size == &KernelConfig::z ? kMaxZ : kMaxWords);
  });
  split_field(io, k.split_by);
  config::band_field(io, k.band);
  format_fields(io, k);
  io.choice("variant", k.variant, variants());
  config::clock_field(io, k);
  profile_field(io, k.profile);
  config::fifo_and_port_fields(io, k);
  io.map("storage", Need::Optional, [&](config::MapIo& sub) {
    sub.choice("inp", k.inp_storage, storages());
    sub.choice("kern", k.kern_storage, storages());
    sub.choice("out", k.out_storage, storages());
  });
  if (const config::MapReader* const reader = io.reader()) {
    if (std::int64_t{k.x} * k.y > kMaxProcessors) {
      throw reader->error(
          "array", fmt::format("has {} x {} processing elements; at most {} are allowed", k.x, k.y, kMaxProcessors));
    }
  }
}

bool KernelConfig::fixed_sizes() const {
  bool fixed = variant != VariantChoice::Auto;
  for_each_size([&](const char*, auto size, auto) { fixed = fixed && (this->*size).fit == Size::Fit::Fixed; });
  return fixed;
}

std::vector<std::pair<const char*, int*>> KernelConfig::fifo_depths() {
  std::vector<std::pair<const char*, int*>> all;
  for (std::size_t i = 0; i < kFifos; ++i) all.emplace_back(kFifoInfos[i].name, &fifo.all()[i]);
  return all;
}

std::vector<config::ReadingChoice> KernelConfig::readings(const std::vector<config::ReadingChoice>& given) const {
  return all_readings(profile, format, given);
}

config::KernelText KernelConfig::text() const {
  config::KernelText text;
  const std::string of_profile = profile_text(profile), at_clock = exact_text(clock);
  const std::string of_format = format.is_fixed() ? fmt::format(" of {}", format_text(*this)) : "";
  text.headline = fmt::format("{} x {} PEs{} at {} MHz, profile {}", x, y, of_format, at_clock, of_profile);
  text.shape = fmt::format("{}x{}", x, y);
  text.head = {{"profile", of_profile}};
  if (format.is_fixed()) {
    text.head.emplace_back("format", to_string(format));
    text.head.emplace_back("packing", std::string(to_string(packing)));
  }
  std::string bursts;
  for (const config::KernelPort& port : ports()) {
    bursts += fmt::format("{}{} {} x {} beats", bursts.empty() ? "" : ", ", port.name, port.config.outstanding,
                          port.config.max_burst_beats);
  }
  std::string sizes;
  for_each_size([&](const char* key, auto size, auto) {
    sizes += fmt::format("{}{} {}", sizes.empty() ? "" : ", ", key, size_text(this->*size));
  });
  const Alpha alpha = alpha_of(*this);
  std::string bus = format.is_fixed()
                        ? fmt::format("{} bits: {} words of {} of INP and KERN, {} of OUT", alpha.bus_bits,
                                      alpha.band(Port::Inp), format_text(*this), alpha.band(Port::Out))
                        : fmt::format("{} words, {} bits", band, alpha.bus_bits);
  if (!alpha.one_width()) {
    bus.clear();
    for (const Port port : {Port::Inp, Port::Kern, Port::Out}) {
      bus += fmt::format("{}{} {} bits, {} words", bus.empty() ? "" : "; ", to_string(port), alpha.bits_of(port),
                         alpha.band(port));
    }
    if (format.is_fixed()) bus += "; INP and KERN of " + format_text(*this);
  }
  const double peak = 2.0 * static_cast<double>(peak_macs()) * mhz(clock) / 1000;
  text.lines = {{"array", fmt::format("{} x {} = {} PEs at {} MHz, peak {:.2f} {}", x, y, peak_macs(), at_clock, peak,
                                      format.is_fixed() ? "GOP/s" : "GFLOP/s")},
                {"profile", of_profile},
                {"variant", variants()[static_cast<std::size_t>(variant)].first},
                {"sizes", sizes},
                {"band", bus},
                {"bursts", bursts},
                {"storage", fmt::format("inp {}, kern {}, out {}", to_string(inp_storage), to_string(kern_storage),
                                        to_string(out_storage))}};
  if (split_by == Split::Filters) text.lines.emplace_back("split by", "filters: what does not fit runs in parts");
  return text;
}

namespace {

// The fields that a kernel's file and alpha have in common.
template <class T>
auto alike(T& t) {
  return std::tie(t.x, t.y, t.format, t.packing, t.profile, t.fifo, t.clock, t.inp_storage, t.kern_storage,
                  t.out_storage);
}

}  // namespace

Alpha alpha_of(const KernelConfig& kernel) {
  Alpha alpha;
  alike(alpha) = alike(kernel);
  for_each_size([&](const char*, auto of_kernel, auto of_alpha) {
    alpha.*of_alpha = static_cast<std::decay_t<decltype(alpha.*of_alpha)>>((kernel.*of_kernel).words);
  });
  alpha.bus_bits = kernel.band * kSumBits;
  for (std::size_t port = 0; port < kPorts; ++port) {
    const int own = kernel.band_of(port);
    alpha.port_bits.at(port) = own == kernel.band ? 0 : own * kSumBits;
  }
  alpha.variant = kernel.variant == VariantChoice::Fgi  ? Variant::FGI
                  : kernel.variant == VariantChoice::Gw ? Variant::GW
                                                        : Variant::Both;
  std::tie(alpha.inp_port, alpha.kern_port, alpha.out_port) = std::tuple_cat(kernel.port_configs);
  return alpha;
}

KernelConfig with_alpha(KernelConfig kernel, const Alpha& alpha) {
  kernel.x = alpha.x;
  kernel.y = alpha.y;
  for_each_size([&](const char*, auto of_kernel, auto of_alpha) {
    kernel.*of_kernel = {Size::Fit::Fixed, alpha.*of_alpha};
  });
  // A kernel for F and GI does not use K_range; 0 is not an allowed size.
  if (alpha.k_range == 0) kernel.k_range = {};
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
  alike(kernel) = alike(alpha);
  kernel.band = alpha.bus_bits / kSumBits;
  for (std::size_t port = 0; port < kPorts; ++port) {
    if (const int own = alpha.port_bits.at(port); own != 0) kernel.port_band.at(port) = own / kSumBits;
  }
  kernel.port_configs = {alpha.inp_port, alpha.kern_port, alpha.out_port};
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

namespace {

constexpr const char* kOutWord = "out_word";

}  // namespace

Readings readings_of(const Profile& profile, const std::vector<config::ReadingChoice>& given) {
  return config::readings_of(reading_table(), given, readings_of(profile));
}

Readings readings_of(const config::RunConfig& run) {
  return readings_of(KernelConfig::of(run).profile, run.readings);
}

std::vector<config::ReadingChoice> all_readings(const Profile& profile, NumberFormat format,
                                                const std::vector<config::ReadingChoice>& given) {
  const Readings used = readings_of(profile, given);
  std::vector<config::ReadingChoice> all;
  for (const ReadingDescriptor& each : reading_table()) {
    const auto of_run = std::find_if(given.begin(), given.end(),
                                     [&](const config::ReadingChoice& choice) { return choice.key == each.key; });
    if (each.key == kOutWord && !format.is_fixed() && of_run == given.end()) continue;  // FP32 has words of one width
    const bool follows = each.profile_switch && (of_run == given.end() || of_run->value == each.unset);
    all.push_back({each.key, follows ? each.unset : each.chosen(used), {}});
  }
  return all;
}

}  // namespace weft::fpgpt
