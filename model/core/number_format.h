#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace weft {

// Format of the words of INP and KERN (kernels/fpgpt/CONTRACT.md, section 2): FP32, or two's complement of `bits` bits.
// Words of OUT always have 32 bits (NUM-8).
struct NumberFormat {
  enum class Kind : std::uint8_t { Fp32, Fixed };
  static constexpr int kLeastFixedBits = 4, kMostFixedBits = 16;

  Kind kind = Kind::Fp32;
  int bits = 32;

  static constexpr NumberFormat fp32() { return {}; }
  static constexpr NumberFormat fixed(int bits) { return {Kind::Fixed, bits}; }
  constexpr bool is_fixed() const { return kind == Kind::Fixed; }

  // F: cycles from the last product of an output to its result (ARR-3).
  constexpr int final_add_cycles() const { return is_fixed() ? 0 : 8; }

  template <class Self>
  static constexpr auto all(const Self& self) {
    return std::tie(self.kind, self.bits);
  }
  friend constexpr bool operator==(NumberFormat a, NumberFormat b) { return all(a) == all(b); }
  friend constexpr bool operator!=(NumberFormat a, NumberFormat b) { return !(a == b); }
};

// Width of an output word, and of the sums that produce it.
inline constexpr int kSumBits = 32;
inline constexpr int kSumBytes = kSumBits / 8;

std::string to_string(NumberFormat format);  // "fp32", "fxp8"
// Inverse of to_string(); nullopt for any other text.
std::optional<NumberFormat> parse_number_format(std::string_view text);
// Returns the list of the formats for a message: "fp32 or fxp4 to fxp16".
std::string number_formats_text();

// Layout of fixed-point words in memory: without gaps, or in lanes whose bits are a power of two.
enum class Packing : std::uint8_t { Packed, Padded };
constexpr const char* to_string(Packing packing) {
  return packing == Packing::Packed ? "packed" : "padded";
}
// L, the bits of a lane of INP and KERN.
constexpr int lane_bits(NumberFormat format, Packing packing) {
  if (!format.is_fixed() || packing == Packing::Packed) return format.bits;
  return format.bits <= 4 ? 4 : format.bits <= 8 ? 8 : 16;
}

}  // namespace weft
