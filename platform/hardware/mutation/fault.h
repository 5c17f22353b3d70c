#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "platform/config/reader.h"

namespace weft::mutation {

// One fault in a source: a text of one line that stands in its file exactly once, and what takes its place.
struct Fault {
  std::string name, what;
  std::string file;
  std::string old_text, new_text;
};

// The keys that every fault has.
void read_fault(config::MapReader& reader, Fault& fault);

// The text with the fault in it. Throws Error, naming the fault, unless its old text stands there exactly once.
std::string mutated(const Fault& fault, const std::string& text);

// Throws as mutated() does, for the fault's file below `folder`.
void check(const Fault& fault, const std::filesystem::path& folder);

// The faults of a YAML file: a list of maps, of which `read(reader, fault)` takes the keys. Throws InputError at what
// is wrong there.
template <class FaultOf, class Read>
std::vector<FaultOf> load_faults(const std::filesystem::path& path, Read read) {
  const config::Node root = config::parse_file(path);
  std::vector<FaultOf> faults;
  std::set<std::string> names;
  for (const config::Node& node : config::expect_list(root, "faults").children) {
    config::MapReader reader(node, fmt::format("[{}]", faults.size()));
    FaultOf fault;
    read(reader, fault);
    reader.finish();
    if (!names.insert(fault.name).second) {
      throw reader.error("name", fmt::format("'{}' names two faults", fault.name));
    }
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace weft::mutation
