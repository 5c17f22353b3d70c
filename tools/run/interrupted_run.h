#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "platform/config/run_config.h"
#include "platform/run/simulate.h"

// A run that was interrupted, as a directory: its configuration, convolutions.csv with the rows that were finished, and
// incomplete.json, which marks it, and from which weft run --resume goes on.
namespace weft::tools {

bool is_interrupted(const std::filesystem::path& folder);

// "12 of 170 convolutions; weft run --resume DIR goes on". Throws InputError if the directory is not readable.
std::string interrupted_text(const std::filesystem::path& folder);

std::map<std::string, std::string> files_of(const run::Part& part, const std::string& config_yaml);

struct InterruptedRun {
  std::string config_yaml;  // as it lies there
  config::RunConfig config;
  run::Checkpoint checkpoint;
};
// Throws Error that says why the run cannot go on: made by other code, configuration changed, not as weft wrote it.
InterruptedRun load_interrupted(const std::filesystem::path& folder);

// Where the whole result goes: `folder`, or what stands before the .interrupted that weft run put behind the name of a
// result that it would not replace.
std::filesystem::path finished_place(const std::filesystem::path& folder);
std::filesystem::path interrupted_place(const std::filesystem::path& result);

}  // namespace weft::tools
