#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/document/report.h"

// What weft plan, and weft timeline of a cluster, print: all of it from their JSON, which is what is saved. What that
// lacks throws nlohmann::json::exception.
namespace weft::tools {

// The designs of clusters that plans are of: the key `design`.
inline constexpr const char* kNadaDesign = "nada";
inline constexpr const char* kFpdeepDesign = "fpdeep";

// "board         arria10\n"
inline std::string headed_line(const char* head, const std::string& text) {
  return fmt::format("{:<14}{}\n", head, text);
}

report::Report plan_report(const nlohmann::ordered_json& plan);
report::Report nada_plan_report(const nlohmann::ordered_json& plan);   // CSV: a line a layer
report::Report array_plan_report(const nlohmann::ordered_json& plan);  // CSV: a line a number of boards
report::Report cluster_timeline_report(const nlohmann::ordered_json& timeline);

// Of a saved plan, or timeline of a cluster. Throws InputError if weft did not write it.
report::Report saved_cluster_report(const std::filesystem::path& folder);

}  // namespace weft::tools
