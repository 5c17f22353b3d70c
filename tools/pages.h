#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/report/page.h"
#include "platform/run/result.h"

// The pages of weft report, one for each kind of result. Those of results that are saved as JSON alone take that
// (docs/report.md); what it lacks throws nlohmann::json::exception.
namespace weft::tools {

// `explanation`: what weft explain saved of the same run, whose ladder is put on the page; null without.
report::Page run_page(const run::Result& result, const nlohmann::ordered_json& explanation = nullptr);
report::Page compare_page(const run::Result& a, const run::Result& b, const std::string& name_a,
                          const std::string& name_b);
report::Page sweep_page(const std::filesystem::path& database);
report::Page timeline_page(const nlohmann::ordered_json& saved);
report::Page validate_page(const nlohmann::ordered_json& saved);
report::Page link_page(const nlohmann::ordered_json& saved);
report::Page dse_page(const nlohmann::ordered_json& saved);
report::Page explain_page(const nlohmann::ordered_json& saved);

// Of what weft explain saved: a section a ladder, and what the script draws in them.
std::vector<report::Section> ladder_sections(const nlohmann::ordered_json& saved);
nlohmann::ordered_json ladder_data(const nlohmann::ordered_json& saved);

}  // namespace weft::tools
