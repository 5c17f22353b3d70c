#pragma once

#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/dse/result.h"
#include "platform/iteration/timeline/result.h"
#include "platform/iteration/train/result.h"
#include "platform/studies/cluster/results.h"
#include "platform/studies/explain/explanation.h"
#include "platform/studies/validate/link_validation.h"
#include "platform/studies/validate/result.h"

// Views of results, for weft show, weft report and the commands that make them, and their CSV. Those of weft run,
// sweep and compare are in the folders of these commands.
namespace weft::tools {

report::Document view_of(const dse::Result& result);
// Explorations of one design as text tables (with a comparison if there are several), as JSON (complete; a list if
// there are several) and as CSV (one line per convolution).
report::Report dse_report(const std::vector<dse::Result>& results, const report::TableView& view);

// First line of the CSV of a training: one line per group of iterations of an epoch in the same levels.
inline constexpr const char* kEpochColumns =
    "epoch,level,learning_rate,iterations,lowered,cycles,convolutions_seconds,iteration_seconds,loads,hours\n";
report::Document view_of(const train::TrainResult& result);
std::string csv_of(const train::TrainResult& result);

// First line of the CSV of the steps of a timeline.
inline constexpr const char* kStepColumns =
    "operator,direction,class,activity,resource,what,start_ps,end_ps,bytes,kernel,priced_by,memory_channel\n";
report::Document view_of(const timeline::TimelineResult& result);
std::string csv_of(const timeline::TimelineResult& result);

// Results of clusters, of weft plan and weft timeline.
report::Document view_of(const cluster::NadaResult& plan);
report::Document view_of(const cluster::ArrayResult& plan);
report::Document view_of(const cluster::BatchResult& timeline);
std::string csv_of(const cluster::NadaResult& plan);       // one line per layer
std::string csv_of(const cluster::ArrayResult& plan);      // images per second, one line per number of boards
std::string csv_of(const cluster::BatchResult& timeline);  // one line per step

// `width`: of the histogram on a terminal.
report::Document view_of(const validate::ValidateResult& result, std::size_t width = 120);
std::string csv_of(const validate::ValidateResult& result);  // one line per kernel and convolution
std::vector<std::string> validate_columns();                 // of the CSV
// Two lines: the limits, and the errors beyond them. Empty without limits.
std::string limits_text(const validate::ValidateResult& result);

report::Document view_of(const explain::Explanation& explanation);
// Sections of the ladders, also shown on the run's page.
std::vector<report::Section> ladder_sections(const explain::Explanation& explanation);

// Validation of a link: one row per figure.
report::Document view_of(const validate::LinkResult& result);
std::string csv_of(const validate::LinkResult& result);
std::vector<std::string> link_columns();

}  // namespace weft::tools
