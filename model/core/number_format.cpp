#include "model/core/number_format.h"

#include <fmt/core.h>

namespace weft {

std::string to_string(NumberFormat format) {
  return format.is_fixed() ? fmt::format("fxp{}", format.bits) : "fp32";
}

std::optional<NumberFormat> parse_number_format(std::string_view text) {
  for (int bits = NumberFormat::kLeastFixedBits; bits <= NumberFormat::kMostFixedBits; ++bits) {
    if (text == to_string(NumberFormat::fixed(bits))) return NumberFormat::fixed(bits);
  }
  if (text == to_string(NumberFormat::fp32())) return NumberFormat::fp32();
  return std::nullopt;
}

std::string number_formats_text() {
  return fmt::format("{}, or {} to {}", to_string(NumberFormat::fp32()),
                     to_string(NumberFormat::fixed(NumberFormat::kLeastFixedBits)),
                     to_string(NumberFormat::fixed(NumberFormat::kMostFixedBits)));
}

}  // namespace weft
