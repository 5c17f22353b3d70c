#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "platform/config/reader.h"
#include "platform/document/document.h"
#include "platform/studies/cluster/results.h"

// Results of clusters, shown by weft plan and weft timeline.
namespace weft::tools {

report::Document view_of(const cluster::NadaResult& plan);
report::Document view_of(const cluster::ArrayResult& plan);
report::Document view_of(const cluster::BatchResult& timeline);

std::string csv_of(const cluster::NadaResult& plan);       // one line per layer
std::string csv_of(const cluster::ArrayResult& plan);      // images per second, one line per number of boards
std::string csv_of(const cluster::BatchResult& timeline);  // one line per step

// Line with its head: "board         arria10\n".
inline std::string headed_line(const char* head, const std::string& text) {
  return fmt::format("{:<14}{}\n", head, text);
}

// Line of the assumed keys; empty if there are none.
inline std::string assumed_line(const std::vector<std::string>& keys) {
  return keys.empty() ? "" : headed_line("assumed", config::join(keys));
}

}  // namespace weft::tools
