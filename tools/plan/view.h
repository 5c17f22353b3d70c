#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "platform/config/reader.h"
#include "platform/document/document.h"
#include "platform/studies/cluster/results.h"

// Results of clusters as weft plan and weft timeline show them.
namespace weft::tools {

report::Document view_of(const cluster::NadaResult& plan);
report::Document view_of(const cluster::ArrayResult& plan);
report::Document view_of(const cluster::BatchResult& timeline);

std::string csv_of(const cluster::NadaResult& plan);       // a line a layer
std::string csv_of(const cluster::ArrayResult& plan);      // images a second, a line a number of boards
std::string csv_of(const cluster::BatchResult& timeline);  // a line a step

// "board         arria10\n"
inline std::string headed_line(const char* head, const std::string& text) {
  return fmt::format("{:<14}{}\n", head, text);
}

// A line, or nothing where nothing is assumed.
inline std::string assumed_line(const std::vector<std::string>& keys) {
  return keys.empty() ? "" : headed_line("assumed", config::join(keys));
}

}  // namespace weft::tools
