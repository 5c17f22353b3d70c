#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace weft::tools {

// What a saved result is a result of.
enum class ResultKind { Run, Timeline, Sweep, Dse, Validate, Link, Explain, Train, Plan, ArrayPlan, ClusterTimeline };

// As a message or a list says it: "run", "validate" for a link's, too.
const char* to_string(ResultKind kind);

// By the keys that only one kind of result.json has.
ResultKind kind_of_json(const nlohmann::json& json);

// Of a directory with a result in it. Throws InputError if its JSON is none.
ResultKind saved_kind(const std::filesystem::path& folder);

}  // namespace weft::tools
