#include "model/core/text.h"

#include <fmt/core.h>
#include <utf8cpp/utf8.h>
#include <utf8cpp/utf8/unchecked.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace weft {

namespace {

constexpr std::size_t kLongestCharacter = 4;  // bytes of UTF-8

// Range of characters that a one-line text does not need: control characters, which a terminal obeys, and invisible
// characters that reorder, hide or join their neighbours (Unicode categories Zl, Zp and Cf, except those with a glyph).
struct Characters {
  std::uint32_t first, last;
};
constexpr std::array<Characters, 13> kUnprintable{{{0x0000, 0x001f},
                                                   {0x007f, 0x009f},
                                                   {0x00ad, 0x00ad},
                                                   {0x061c, 0x061c},
                                                   {0x180e, 0x180e},
                                                   {0x200b, 0x200f},
                                                   {0x2028, 0x202e},
                                                   {0x2060, 0x206f},
                                                   {0xfeff, 0xfeff},
                                                   {0xfff9, 0xfffb},
                                                   {0x1bca0, 0x1bca3},
                                                   {0x1d173, 0x1d17a},
                                                   {0xe0001, 0xe007f}}};

bool is_unprintable(std::uint32_t code) {
  return std::any_of(kUnprintable.begin(), kUnprintable.end(),
                     [&](const Characters& range) { return range.first <= code && code <= range.last; });
}

// Returns the bytes of the character at `at`, 0 if it is invalid UTF-8. `unprintable`: set to true if it is in the
// table.
std::size_t length_at(std::string_view text, std::size_t at, bool& unprintable) {
  const char* const begin = text.data() + at;
  const char* next = begin;
  if (utf8::find_invalid(begin, begin + std::min(text.size() - at, kLongestCharacter)) == begin) return 0;
  unprintable = is_unprintable(utf8::unchecked::next(next));
  return static_cast<std::size_t>(next - begin);
}

}  // namespace

std::size_t find_unprintable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    bool unprintable = false;
    const std::size_t length = length_at(text, at, unprintable);
    if (length == 0 || unprintable) return at;
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
    bool unprintable = false;
    const std::size_t length = length_at(text, at, unprintable);
    const std::string_view bytes = text.substr(at, std::max<std::size_t>(length, 1));
    if (length == 0 || (unprintable && keep.find(bytes) == std::string_view::npos)) {
      for (const char c : bytes) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      shown += bytes;
    }
    at += bytes.size();
  }
  return shown;
}

std::string thousands(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

namespace {

template <class T>
bool whole(const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

}  // namespace

std::string to_text(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "";
}

Value parse_value(const std::string& text, bool quoted) {
  if (quoted) return text;
  if (text == "true") return std::int64_t{1};
  if (text == "false") return std::int64_t{0};
  std::int64_t integer = 0;
  if (whole(text, integer)) return integer;
  double real = 0;
  if (whole(text, real)) return real;
  return text;
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.2f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string hours_text(double hours) {
  return fmt::format(hours < 0.1 ? "{:.3f} h" : "{:.2f} h", hours);
}

std::string images_text(std::int64_t count) {
  return count == 1 ? "1 image" : thousands(count) + " images";
}

}  // namespace weft
