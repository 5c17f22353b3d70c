#include "model/core/error.h"

#include <fmt/core.h>

namespace weft {

namespace {

// Without a file, the key alone.
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
