#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/document/page.h"
#include "platform/dse/result.h"
#include "platform/iteration/timeline/result.h"
#include "platform/iteration/train/result.h"
#include "platform/run/comparison.h"
#include "platform/studies/cluster/results.h"
#include "platform/studies/explain/explanation.h"
#include "platform/studies/validate/link_validation.h"
#include "platform/studies/validate/result.h"

// The pages of weft report, one for each kind of result. Those that take JSON throw nlohmann::json::exception at what
// it lacks (docs/report.md).
namespace weft::tools {

// `folder`: that of the result, with what else weft run saved there. `explanation`: of the same run, whose ladder is
// put on the page; nullptr without.
report::Page run_page(const run::Record& record, const std::filesystem::path& folder,
                      const explain::Explanation* explanation = nullptr);

// What the blocks did over each of the longest convolutions of a run, where weft run --activity saved it: data for its
// chart. Null where it did not. Throws InputError if it is of another run.
nlohmann::ordered_json activity_data(const run::Record& record, const std::filesystem::path& folder);
report::Section activity_section(const nlohmann::ordered_json& data);
report::Page compare_page(const run::Compared& a, const run::Compared& b);
report::Page sweep_page(const std::filesystem::path& database);
report::Page timeline_page(const timeline::TimelineResult& result);
report::Page plan_page(const cluster::NadaResult& plan);
report::Page plan_page(const cluster::ArrayResult& plan);
report::Page cluster_timeline_page(const cluster::BatchResult& timeline);
report::Page train_page(const train::TrainResult& result);
report::Page validate_page(const validate::ValidateResult& result);
report::Page link_page(const validate::LinkResult& result);
report::Page dse_page(const dse::Result& result);
report::Page explain_page(const explain::Explanation& explanation);

// A section a ladder, and what the script draws in them.
std::vector<report::Section> ladder_sections(const explain::Explanation& explanation);
nlohmann::ordered_json ladder_data(const explain::Explanation& explanation);

}  // namespace weft::tools
