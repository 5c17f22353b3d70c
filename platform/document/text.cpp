#include "platform/document/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "model/core/value.h"

namespace weft::report {

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.2f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

namespace {

// Whether a spreadsheet would compute it, or an apostrophe in front of it would be taken for csv_field()'s.
bool needs_apostrophe(const std::string& text) {
  const std::size_t at = text.find_first_not_of('\'');
  if (at == std::string::npos || std::string_view("=+-@\t\r").find(text[at]) == std::string_view::npos) return false;
  return at > 0 || std::holds_alternative<std::string>(parse_value(text));
}

std::string without_apostrophe(std::string text) {
  if (!text.empty() && text[0] == '\'' && needs_apostrophe(text)) text.erase(0, 1);
  return text;
}

}  // namespace

std::string csv_field(const std::string& text) {
  std::string cell = (needs_apostrophe(text) ? "'" : "") + text;
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::vector<std::vector<std::string>> csv_lines(const std::string& csv) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      field += csv[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted || (c != ',' && c != '\n')) {
      field += c;
    } else {
      line.push_back(without_apostrophe(std::exchange(field, {})));
      if (c == '\n') lines.push_back(std::exchange(line, {}));
    }
  }
  return lines;
}

}  // namespace weft::report
