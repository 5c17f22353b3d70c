#pragma once

#include <string>
#include <vector>

#include "platform/config/run_config.h"

namespace weft::tools {

enum class Format { Table, Json, Csv };

// "table", "json" or, where `csv` allows it, "csv". Throws Error that lists what there is.
Format parse_format(const std::string& text, bool csv);

// The project's configs/.
config::Library project_library();

std::vector<config::Override> parse_overrides(const std::vector<std::string>& texts);

// Writes to standard output and makes sure that it arrived. Throws Error, for instance on a full disk.
void print(const std::string& text);

// What a command prints or writes, in every format it may be asked for.
struct Report {
  std::string table;
  std::string json;
  std::string csv;

  const std::string& in(Format format) const {
    return format == Format::Table ? table : format == Format::Json ? json : csv;
  }
};

}  // namespace weft::tools
