#include "tools/results/result_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/core/error.h"
#include "platform/os/content.h"
#include "platform/record/json.h"
#include "platform/record/result_dir.h"

namespace weft::tools {

namespace {

// As Visitor::head() writes them: a command, then which of its results.
constexpr std::array<std::string_view, 11> kNames{"run",      "timeline",      "sweep",           "dse",
                                                  "validate", "validate link", "explain",         "train",
                                                  "plan",     "plan array",    "timeline cluster"};

}  // namespace

std::string to_string(ResultKind kind) {
  const std::string_view name = kNames.at(static_cast<std::size_t>(kind));
  return std::string(name.substr(0, name.find(' ')));
}

std::optional<ResultKind> kind_of_json(const nlohmann::json& json) {
  const auto kind = json.is_object() ? json.find("kind") : json.end();
  if (kind == json.end() || !kind->is_string()) return {};
  const auto* const found = std::find(kNames.begin(), kNames.end(), kind->get<std::string>());
  if (found == kNames.end()) return {};
  return static_cast<ResultKind>(found - kNames.begin());
}

ResultKind saved_kind(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / record::kResultJson;
  const nlohmann::json json = nlohmann::json::parse(os::content(path), nullptr, false);
  if (!json.is_object()) throw InputError(path.string(), 0, "", "is not a result of weft");
  if (const std::optional<ResultKind> kind = kind_of_json(json)) return *kind;
  throw InputError(path.string(), 0, "kind",
                   fmt::format("is {}{}", json.contains("kind") ? "unknown" : "missing", record::kMakeAgain));
}

}  // namespace weft::tools
