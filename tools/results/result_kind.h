#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/os/content.h"
#include "platform/record/json.h"
#include "tools/results/result_dir.h"

namespace weft::tools {

// What a saved result is a result of.
enum class ResultKind { Run, Timeline, Sweep, Dse, Validate, Link, Explain, Train, Plan, ArrayPlan, ClusterTimeline };

// As a message or a list says it: "run", "validate" for a link's, too.
const char* to_string(ResultKind kind);

// By the keys that only one kind of result.json has.
ResultKind kind_of_json(const nlohmann::json& json);

// Of a directory with a result in it. Throws InputError if its JSON is none.
ResultKind saved_kind(const std::filesystem::path& folder);

// The record that is saved there. Throws InputError if weft did not write it.
template <class R>
R saved_record(const std::filesystem::path& folder) {
  const std::string file = (folder / kResultJson).string();
  return record::from_json<R>(file, os::content(file));
}

}  // namespace weft::tools
