#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <filesystem>
#include <functional>
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

// Some of the tests of a test program.
struct Tests {
  std::string program;  // "memory_test": a target of the build
  std::string filter;   // which, as gtest names them ("Oracle.*"); empty: all
};

// A fault in the C++ of the model, and the tests of which one at least is to fail, or, where it is said to be none, all
// are to pass.
struct ModelFault : Fault {  // file: from the root of the project
  std::vector<Tests> tests;  // tried in this order
  std::string equivalent;    // why no result can differ, so that all of its tests must pass; empty: one is to fail
};

// The faults of a YAML file. Throws InputError at what is wrong there.
std::vector<ModelFault> load_model_faults(const std::filesystem::path& path);

struct ModelFaultResult {
  ModelFault fault;
  std::string noticed_by;  // the first of its tests that fail; empty: it survived

  bool as_said() const { return noticed_by.empty() != fault.equivalent.empty(); }
};

// Puts each fault into a copy of the project, one at a time, builds the test programs that are to notice it and runs
// their tests; before that all of them without a fault, which have to pass. The copy and its build are kept in
// `folder`, so that a later call builds what changed; `source` is only read. Throws Error if something does not build,
// or fails without a fault.
std::vector<ModelFaultResult> run_model_faults(const std::vector<ModelFault>& faults,
                                               const std::filesystem::path& source, const std::filesystem::path& folder,
                                               const std::function<void(std::size_t done, std::size_t all)>& progress);

}  // namespace weft::mutation
