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

// A fault in a source file: one line's text that occurs exactly once in the file, and its replacement.
struct Fault {
  std::string name, what;
  std::string file;
  std::string old_text, new_text;
};

void fault_fields(config::MapIo& io, Fault& fault);

// Returns the text with the fault in it. Throws Error with the fault's name unless its old text occurs exactly once.
std::string mutated(const Fault& fault, const std::string& text);

// Throws as mutated() does, for the fault's file in `folder`.
void check(const Fault& fault, const std::filesystem::path& folder);

// Reads the faults of a YAML file: a list of maps whose keys are listed by `fields(io, fault)`. Throws InputError for
// errors in the file.
template <class FaultOf, class Fields>
std::vector<FaultOf> load_faults(const std::filesystem::path& path, Fields fields) {
  const config::Node root = config::parse_file(path);
  std::vector<FaultOf> faults;
  std::set<std::string> names;
  for (const config::Node& node : config::expect_list(root, "faults").children) {
    config::MapReader reader(node, fmt::format("[{}]", faults.size()));
    FaultOf fault;
    fields(reader, fault);
    reader.finish();
    if (!names.insert(fault.name).second) {
      throw reader.error("name", fmt::format("'{}' names two faults", fault.name));
    }
    faults.push_back(std::move(fault));
  }
  return faults;
}

// JSON Schema of such a file.
template <class FaultOf, class Fields>
config::Node describe_faults(Fields fields) {
  return config::schema::list_of(config::describe_map(FaultOf{}, fields));
}

// Selected tests of a test program.
struct Tests {
  std::string program;  // target of the build: "memory_test"
  std::string filter;   // gtest filter ("Oracle.*"); empty: all
};

// A fault in the C++ of the model, and the tests of which at least one must fail; all must pass if the fault is
// declared equivalent.
struct ModelFault : Fault {  // file: relative to the root of the project
  std::vector<Tests> tests;  // tried in this order
  std::string equivalent;    // reason why no result can differ, so that all tests must pass; empty: one must fail
};

// Reads the faults of a YAML file. Throws InputError for errors in it.
std::vector<ModelFault> load_model_faults(const std::filesystem::path& path);
config::Node describe_model_faults();  // JSON Schema of the file

struct ModelFaultResult {
  ModelFault fault;
  std::string noticed_by;  // its first failing test; empty: it survived

  bool as_said() const { return noticed_by.empty() != fault.equivalent.empty(); }
};

// Puts each fault, one at a time, into a copy of the project, builds its test programs and runs its tests. Before that
// all tests run without a fault and must pass. The copy and its build stay in `folder`, so that a later call builds
// only changes; `source` is only read. Throws Error if something does not build, or fails without a fault.
std::vector<ModelFaultResult> run_model_faults(const std::vector<ModelFault>& faults,
                                               const std::filesystem::path& source, const std::filesystem::path& folder,
                                               const std::function<void(std::size_t done, std::size_t all)>& progress);

}  // namespace weft::mutation
