#pragma once

#include <cstdint>
#include <string>

#include "platform/config/reader.h"

namespace weft::config {

// A decimal in a file, an integer here: in units of 10^-decimals.
struct Scale {
  int decimals;
  std::int64_t unit;  // 10^decimals
  std::int64_t most;  // of the decimal
  bool zero;          // may be 0
};

inline constexpr Scale kNanoseconds{3, 1000, 1'000'000, true};  // of picoseconds

std::int64_t read_scaled(const Node& node, const std::string& key, const Scale& scale);
std::string decimal_text(std::int64_t value, std::int64_t unit);

template <class Io>
void scaled(Io& io, const char* key, std::int64_t& value, const Scale& scale, Need need = Need::Required) {
  io.custom(
      key, need, [&](const Node& node, const std::string& path) { value = read_scaled(node, path, scale); },
      [&] { return scalar_node(decimal_text(value, scale.unit)); });
}

}  // namespace weft::config
