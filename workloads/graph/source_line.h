#pragma once

#include <string>

namespace weft::workloads {

// Where a value stands, for messages.
struct SourceLine {
  std::string file;
  int line = 0;
  std::string key;
};

}  // namespace weft::workloads
