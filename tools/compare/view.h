#pragma once

#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/iteration/timeline/result.h"
#include "platform/run/comparison.h"
#include "platform/studies/cluster/comparison.h"
#include "platform/studies/validate/baseline.h"
#include "tools/cli/options.h"

namespace weft::tools {

Report compare_report(const validate::ValidationComparison& comparison, const TableView& view);
Report compare_plans(const cluster::PlanComparison& comparison, const TableView& view);
Report compare_timelines(const timeline::TimelineComparison& comparison, const TableView& view);

report::Document view_of(const run::Comparison& comparison);
// Two results side by side. The table shows the `most` convolutions with the largest change.
Report compare_report(const run::Comparison& comparison, std::size_t most, const TableView& view);

// Keys that differ; values are shortened to fit the page.
std::string keys_table(const std::vector<config::Difference>& keys, const TableView& view);

// Text of a relative change: "+1.25%".
std::string signed_percent(double change);

}  // namespace weft::tools
