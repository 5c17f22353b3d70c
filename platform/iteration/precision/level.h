#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::precision {

// What a convolution is computed in: fixed point of so many bits, or FP32.
using Level = int;
inline constexpr Level kFp32 = 32;

// Of MuPPET (chapter 3 of the thesis), lowest first.
inline std::vector<Level> thesis_levels() {
  return {8, 12, 14, 16, kFp32};
}

// As kernel.format spells it: "fxp8", "fp32".
std::string level_name(Level level);
// What level_name() gives; nothing for any other text.
std::optional<Level> parse_level(std::string_view text);

}  // namespace weft::precision
