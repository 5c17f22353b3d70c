#include "model/core/error.h"

#include <fmt/core.h>

#include <cmath>

namespace weft {

namespace {

// Prefixes `message` with its place; without a file only with the key.
std::string located(const std::string& file, int line, const std::string& key, const std::string& message) {
  std::string text;
  if (!file.empty()) text = line > 0 ? fmt::format("{}:{}: ", file, line) : file + ": ";
  if (!key.empty()) text += key + ": ";
  return text + message;
}

}  // namespace

InputError::InputError(const std::string& file, int line, const std::string& key, const std::string& message)
    : Error(located(file, line, key, message)) {}

}  // namespace weft

namespace weft::checked {

void fail(const char* what) {
  throw Overflow(
      fmt::format("{} exceed 2^63 - 1, the most that can be counted: give smaller sizes or a smaller batch", what));
}

std::int64_t rounded_up(const char* what, double value) {
  const double whole = std::ceil(value);
  if (!(std::abs(whole) < 0x1p63)) fail(what);
  return static_cast<std::int64_t>(whole);
}

}  // namespace weft::checked
