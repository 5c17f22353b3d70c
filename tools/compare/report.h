#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "platform/run/comparison.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// Two results side by side; `a`, `b`: what the user calls them. The table has the `most` convolutions that moved most.
Report compare_report(const run::Result& a, const run::Result& b, const std::string& name_a, const std::string& name_b,
                      std::size_t most, const TableView& view);

// Keys that differ, as a table and as JSON; values are shortened to fit the page.
std::string keys_table(const std::vector<config::Difference>& keys, const TableView& view);
nlohmann::ordered_json keys_json(const std::vector<config::Difference>& keys);

// "+1.25%"
std::string signed_percent(double change);

}  // namespace weft::tools
