#pragma once

#include <string>

namespace weft::report {

enum class Format { Table, Json, Csv };

// What a command prints or writes, in every format it may be asked for.
struct Report {
  std::string table;
  std::string json;
  std::string csv;

  const std::string& in(Format format) const {
    return format == Format::Table ? table : format == Format::Json ? json : csv;
  }
};

}  // namespace weft::report
