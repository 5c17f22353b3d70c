#include "platform/design/equations.h"

#include <fmt/core.h>

#include "platform/config/reader.h"

namespace weft::report {

std::string equations_text(const design::EquationsNote& note) {
  std::string text;
  for (const config::ReadingChoice& each : note.followed) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.key, each.value);
  }
  if (!text.empty()) text = fmt::format("for {} read with {}; ", note.kernel, text);
  return text + "they do not know " + config::join(note.unknown);
}

}  // namespace weft::report
