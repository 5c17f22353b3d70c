#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace weft::tools {

// What a saved result is a result of.
enum class ResultKind { Run, Timeline, Sweep, Dse, Validate, Link, Explain, Train, Plan, ArrayPlan, ClusterTimeline };

// The command that makes it: "run", "validate" for a link's, too.
std::string to_string(ResultKind kind);

// By its key `kind`; nothing if it has none, as those of earlier versions, or another.
std::optional<ResultKind> kind_of_json(const nlohmann::json& json);

// Of a directory with a result in it. Throws InputError if its JSON is none.
ResultKind saved_kind(const std::filesystem::path& folder);

}  // namespace weft::tools
