#include "model/core/value.h"

#include <fmt/core.h>

#include <charconv>

namespace weft {

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

}  // namespace weft
