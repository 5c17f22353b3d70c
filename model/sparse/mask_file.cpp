#include "model/sparse/mask_file.h"

#include "model/sparse/bytes.h"

namespace weft::sparse {

namespace {

constexpr std::string_view kMaskMagic = "WEFTMASK";
constexpr std::uint32_t kMaxName = 4096, kMaxMaskSide = 65536;

}  // namespace

std::string mask_file(const LayerMasks& masks) {
  std::string bytes(kMaskMagic);
  for (const auto& [name, mask] : masks) {
    put32(bytes, static_cast<std::uint32_t>(name.size()));
    bytes += name;
    put32(bytes, static_cast<std::uint32_t>(mask.outputs()));
    put32(bytes, static_cast<std::uint32_t>(mask.inputs()));
    unsigned held = 0;
    int bit = 0;
    const auto add = [&](bool kept) {
      held |= static_cast<unsigned>(kept) << bit;
      if (++bit < 8) return;
      bytes.push_back(static_cast<char>(held));
      held = 0;
      bit = 0;
    };
    for (int output = 0; output < mask.outputs(); ++output) {
      for (int input = 0; input < mask.inputs(); ++input) add(mask.kept(output, input));
    }
    while (bit != 0) add(false);
  }
  return bytes;
}

LayerMasks read_mask_file(const std::string& bytes) {
  ByteReader reader(bytes);
  reader.expect(kMaskMagic);
  LayerMasks masks;
  while (reader.left() > 0) {
    const std::size_t at = reader.offset();
    const std::uint32_t length = reader.take32("the length of a name", 1, kMaxName);
    const std::string name(reader.take(length, "a name"));
    for (const auto& known : masks) {
      if (known.first == name) throw Error(fmt::format("byte {}: layer '{}' is there twice", at, name));
    }
    const std::uint32_t outputs = reader.take32("a number of outputs", 1, kMaxMaskSide);
    const std::uint32_t inputs = reader.take32("a number of inputs", 1, kMaxMaskSide);
    const std::size_t kernels = std::size_t{outputs} * inputs;
    const std::size_t first = reader.offset();
    const std::string_view bits = reader.take((kernels + 7) / 8, "the bits of a layer");
    Mask mask(static_cast<int>(outputs), static_cast<int>(inputs));
    for (std::size_t i = 0; i < 8 * bits.size(); ++i) {
      const bool kept = (static_cast<unsigned char>(bits[i / 8]) >> (i % 8) & 1U) != 0;
      if (i < kernels) {
        mask.set(static_cast<int>(i / inputs), static_cast<int>(i % inputs), kept);
      } else if (kept) {
        throw Error(
            fmt::format("byte {}: a bit beyond the {} kernels of layer '{}' is 1", first + i / 8, kernels, name));
      }
    }
    masks.emplace_back(name, std::move(mask));
  }
  if (masks.empty()) throw Error(fmt::format("byte {}: holds the mask of no layer", reader.offset()));
  return masks;
}

}  // namespace weft::sparse
