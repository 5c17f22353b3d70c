#pragma once

#include <string>
#include <vector>

// The commands of weft and their options as plain values: what completion and the manual pages are made of.
namespace weft::tools {

struct OptionInfo {
  std::vector<std::string> names;  // "--set"; of an argument without a flag "CONFIG"
  std::string value;               // "KEY=VALUE"; empty: a flag takes none
  std::string help;
  std::string group;  // empty: the command's own
  bool positional = false, required = false;
};

struct CommandInfo {
  std::string name, description;
  std::string footer;  // examples, and what else --help says
  std::vector<OptionInfo> options;
};

}  // namespace weft::tools
