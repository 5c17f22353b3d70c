#include "platform/config/kernel.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "platform/config/reader.h"

namespace weft::config {

namespace {

using fpgpt::Profile;
using fpgpt::Storage;

constexpr int kMaxArray = 4096;  // of one side; X * Y is bounded apart
constexpr std::int64_t kMaxProcessors = 1 << 20;
constexpr Words kMaxWords = Words{1} << 36;  // 256 GB: more than any device stores
constexpr Words kMaxZ = 1 << 20;             // words handed over in one cycle
constexpr int kMaxBand = 256;                // for the equations; what is simulated ends at the widest AXI4 bus

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

Profile profile_of(Base base) {
  return base == Base::Rtl ? Profile::rtl() : Profile::hls();
}

template <class Io>
void size(Io& io, const char* key, Size& value, Words high = kMaxWords) {
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

template <class Io>
void profile(Io& io, Profile& value) {
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
        for (const fpgpt::ProfileSwitch& each : fpgpt::kProfileSwitches) reader.boolean(each.name, value.*each.on);
        reader.finish();
      },
      [&] {
        if (value == Profile::hls()) return scalar_node("hls");
        if (value == Profile::rtl()) return scalar_node("rtl");
        MapWriter writer;
        Base base = Base::Hls;
        writer.choice("base", base, bases());
        for (const fpgpt::ProfileSwitch& each : fpgpt::kProfileSwitches) writer.boolean(each.name, value.*each.on);
        return writer.take();
      });
}

template <class Io>
void fields(Io& io, fpgpt::FifoDepths& fifo) {
  const auto depth = [&](const char* key, int& value) {
    io.integer(key, value, 0, 65536);
  };  // 0: a wire that is cut, which the run reports
  depth("inp_beat", fifo.inp_beat);
  depth("inp_word", fifo.inp_word);
  depth("inp_group", fifo.inp_group);
  depth("inp_column", fifo.inp_column);
  depth("kern_beat", fifo.kern_beat);
  depth("kern_word", fifo.kern_word);
  depth("kern_row", fifo.kern_row);
  depth("out_row", fifo.out_row);
  depth("out_group", fifo.out_group);
  depth("out_beat", fifo.out_beat);
}

template <class Io>
void fields(Io& io, stream::PortConfig& port) {
  io.integer("max_burst_beats", port.max_burst_beats, 1, 256);  // AXI4
  io.integer("outstanding", port.outstanding, 1, 256);
}

template <class Io>
void fields(Io& io, Kernel& k) {
  io.text("name", k.name);
  io.text("title", k.title);
  io.map("array", Need::Required, [&](auto& sub) {
    sub.integer("x", k.x, 1, kMaxArray, Need::Required);
    sub.integer("y", k.y, 1, kMaxArray, Need::Required);
  });
  size(io, "z", k.z, kMaxZ);
  size(io, "z_channel", k.z_channel);
  size(io, "k_range", k.k_range);
  size(io, "kern_words", k.kern_words);
  size(io, "out_words", k.out_words);
  io.integer("band", k.band, 1, kMaxBand);
  io.choice("variant", k.variant, variants());
  io.exact("clock_mhz", k.clock, 1, 2000, Need::Required);
  profile(io, k.profile);
  io.map("fifo", Need::Optional, [&](auto& sub) { fields(sub, k.fifo); });
  io.map("ports", Need::Optional, [&](auto& sub) {
    sub.map("inp", Need::Optional, [&](auto& port) { fields(port, k.inp_port); });
    sub.map("kern", Need::Optional, [&](auto& port) { fields(port, k.kern_port); });
    sub.map("out", Need::Optional, [&](auto& port) { fields(port, k.out_port); });
  });
  io.map("storage", Need::Optional, [&](auto& sub) {
    sub.choice("inp", k.inp_storage, storages());
    sub.choice("kern", k.kern_storage, storages());
    sub.choice("out", k.out_storage, storages());
  });
  if constexpr (Io::kReads) {
    if ((k.band & (k.band - 1)) != 0) {
      throw io.error("band", fmt::format("must be a power of two, as an AXI bus is, but is {}", k.band));
    }
    if (std::int64_t{k.x} * k.y > kMaxProcessors) {
      throw io.error("array",
                     fmt::format("{} x {} processing elements; at most {} are modelled", k.x, k.y, kMaxProcessors));
    }
  }
}

}  // namespace

bool Kernel::fixed_sizes() const {
  for (const Size* each : {&z, &z_channel, &k_range, &kern_words, &out_words}) {
    if (each->fit != Size::Fit::Fixed) return false;
  }
  return variant != VariantChoice::Auto;
}

Kernel read_kernel(const Node& node, const std::string& key) {
  Kernel kernel;
  MapReader reader(node, key);
  fields(reader, kernel);
  reader.finish();
  return kernel;
}

Node write_kernel(const Kernel& kernel) {
  MapWriter writer;
  Kernel copy = kernel;
  fields(writer, copy);
  return writer.take();
}

fpgpt::Alpha alpha_of(const Kernel& kernel) {
  fpgpt::Alpha alpha;
  alpha.x = kernel.x;
  alpha.y = kernel.y;
  alpha.z = static_cast<int>(kernel.z.words);
  alpha.z_channel = kernel.z_channel.words;
  alpha.k_range = kernel.k_range.words;
  alpha.kern_words = kernel.kern_words.words;
  alpha.out_words = kernel.out_words.words;
  alpha.band = kernel.band;
  alpha.variant = kernel.variant == VariantChoice::Fgi  ? fpgpt::Variant::FGI
                  : kernel.variant == VariantChoice::Gw ? fpgpt::Variant::GW
                                                        : fpgpt::Variant::Both;
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

std::string size_text(const Size& size) {
  if (size.fit == Size::Fit::Auto) return "auto";
  if (size.fit == Size::Fit::Shared) return "shared";
  return std::to_string(size.words);
}

std::string profile_text(const Profile& profile) {
  const auto on = std::count_if(std::begin(fpgpt::kProfileSwitches), std::end(fpgpt::kProfileSwitches),
                                [&](const fpgpt::ProfileSwitch& each) { return profile.*each.on; });
  const bool rtl = 2 * on > static_cast<std::ptrdiff_t>(std::size(fpgpt::kProfileSwitches));
  std::string text = rtl ? "rtl" : "hls";
  for (const fpgpt::ProfileSwitch& each : fpgpt::kProfileSwitches) {
    if (profile.*each.on != rtl) text += fmt::format(" {} {}", rtl ? "-" : "+", each.name);
  }
  return text;
}

}  // namespace weft::config
