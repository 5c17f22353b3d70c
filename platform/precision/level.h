#pragma once

#include <vector>

namespace weft::precision {

// What a convolution is computed in: fixed point of so many bits, or FP32.
using Level = int;
inline constexpr Level kFp32 = 32;

// Of MuPPET (chapter 3 of the thesis), lowest first.
inline std::vector<Level> thesis_levels() {
  return {8, 12, 14, 16, kFp32};
}

}  // namespace weft::precision
