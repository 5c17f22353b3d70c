#include "platform/config/scaled.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace weft::config {

namespace {

// "12", "0.5": nothing for anything else, for more decimals, and for what does not fit.
std::optional<std::int64_t> parse_decimal(const std::string& text, int decimals) {
  const std::size_t point = std::min(text.find('.'), text.size());
  if (point == 0 || point + 1 == text.size()) return std::nullopt;
  std::string digits = text.substr(0, point) + (point < text.size() ? text.substr(point + 1) : "");
  const std::size_t whole_and_decimals = point + static_cast<std::size_t>(decimals);
  if (digits.size() > whole_and_decimals) return std::nullopt;
  digits.resize(whole_and_decimals, '0');
  std::int64_t value = 0;
  const auto end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::int64_t read_scaled(const Node& node, const std::string& key, const Scale& scale) {
  refuse_leading_zero(node, key);
  const bool number = node.kind == Node::Kind::Scalar && !node.quoted;
  const std::optional<std::int64_t> value = number ? parse_decimal(node.text, scale.decimals) : std::nullopt;
  if (!value || *value > scale.most * scale.unit || (*value == 0 && !scale.zero)) {
    throw error_at(node.place, key,
                   fmt::format("must be a number {} with at most {} decimals, not {}",
                               scale.zero ? fmt::format("from 0 to {}", scale.most)
                                          : fmt::format("above 0, at most {},", scale.most),
                               scale.decimals, describe(node)));
  }
  return *value;
}

std::string decimal_text(std::int64_t value, std::int64_t unit) {
  std::string fraction;
  for (std::int64_t rest = value % unit, digit = unit / 10; rest > 0; rest %= digit, digit /= 10) {
    fraction += static_cast<char>('0' + rest / digit);
    if (digit == 1) break;
  }
  return std::to_string(value / unit) + (fraction.empty() ? "" : "." + fraction);
}

}  // namespace weft::config
