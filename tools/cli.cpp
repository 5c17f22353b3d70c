#include "tools/cli.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "model/core/error.h"
#include "model/core/text.h"

namespace weft::tools {

Format parse_format(const std::string& text, bool csv) {
  if (text == "table") return Format::Table;
  if (text == "json") return Format::Json;
  if (text == "csv" && csv) return Format::Csv;
  throw Error(fmt::format("--format: must be one of table, json{}, not '{}'", csv ? ", csv" : "", text));
}

config::Library project_library() {
  return {WEFT_CONFIG_DIR};
}

std::vector<config::Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<config::Override> overrides;
  overrides.reserve(texts.size());
  for (const std::string& text : texts) overrides.push_back(config::parse_override(text));
  return overrides;
}

void print(const std::string& given) {
  const std::string text = printable(given, "\n\t");  // what a database or a path holds is anybody's
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw Error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

}  // namespace weft::tools
