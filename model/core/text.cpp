#include "model/core/text.h"

#include <fmt/core.h>
#include <utf8cpp/utf8.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft {

namespace {

// The bytes of the character at `at`, 0 if they are no UTF-8; `control`: whether a terminal would obey it.
std::size_t length_at(std::string_view text, std::size_t at, bool& control) {
  const char* const begin = text.data() + at;
  const char* next = begin;
  std::uint32_t code = 0;
  if (utf8::internal::validate_next(next, text.data() + text.size(), code) != utf8::internal::UTF8_OK) return 0;
  control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  return static_cast<std::size_t>(next - begin);
}

}  // namespace

std::size_t find_unprintable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    bool control = false;
    const std::size_t length = length_at(text, at, control);
    if (length == 0 || control) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::size_t find_non_utf8(std::string_view text) {
  const char* const end = text.data() + text.size();
  const char* const found = utf8::find_invalid(text.data(), end);
  return found == end ? std::string_view::npos : static_cast<std::size_t>(found - text.data());
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string printable(std::string_view text, std::string_view keep) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    bool control = false;
    const std::size_t length = length_at(text, at, control);
    const std::string_view bytes = text.substr(at, std::max<std::size_t>(length, 1));
    if (length == 0 || (control && keep.find(bytes) == std::string_view::npos)) {
      for (const char c : bytes) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      shown += bytes;
    }
    at += bytes.size();
  }
  return shown;
}

}  // namespace weft
