#include "platform/iteration/precision/level.h"

namespace weft::precision {

namespace {
constexpr Level kLeast = 4, kMost = 16;
}

std::string level_name(Level level) {
  return level == kFp32 ? "fp32" : "fxp" + std::to_string(level);
}

std::optional<Level> parse_level(std::string_view text) {
  if (text == level_name(kFp32)) return kFp32;
  for (Level level = kLeast; level <= kMost; ++level) {
    if (text == level_name(level)) return level;
  }
  return std::nullopt;
}

}  // namespace weft::precision
