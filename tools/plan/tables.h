#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "platform/config/reader.h"
#include "platform/document/text.h"
#include "platform/studies/cluster/results.h"

// Results of clusters as weft plan and weft timeline print them, for the width of the page.
namespace weft::tools {

std::string table_of(const cluster::NadaResult& plan);
std::string table_of(const cluster::ArrayResult& plan);
std::string table_of(const cluster::BatchResult& timeline);

std::string csv_of(const cluster::NadaResult& plan);       // a line a layer
std::string csv_of(const cluster::ArrayResult& plan);      // images a second, a line a number of boards
std::string csv_of(const cluster::BatchResult& timeline);  // a line a step

// "board         arria10\n"
inline std::string headed_line(const char* head, const std::string& text) {
  return fmt::format("{:<14}{}\n", head, text);
}

inline std::string cluster_line(const cluster::ResultHead& head) {
  return fmt::format("{}: {} on {} x {}", head.cluster, head.network, head.number_of_boards, head.board);
}

template <class Plan>
std::string rate_line(const Plan& plan) {
  return headed_line("rate", fmt::format("{:.1f} images/s, one in {} cycles at {} MHz", plan.images_per_s,
                                         report::thousands(plan.cycles_an_image), plan.head.clock_mhz));
}

// A line, or nothing where nothing is assumed.
inline std::string assumed_line(const std::vector<std::string>& keys) {
  return keys.empty() ? "" : headed_line("assumed", config::join(keys));
}

}  // namespace weft::tools
