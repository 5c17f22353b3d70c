#pragma once

#include <filesystem>
#include <string>

#include "platform/document/document.h"
#include "platform/document/report.h"
#include "platform/iteration/timeline/result.h"

namespace weft::tools {

// The first line of the CSV of its steps.
inline constexpr const char* kStepColumns =
    "operator,direction,class,activity,resource,what,start_ps,end_ps,bytes,kernel,priced_by,memory_channel\n";

report::Document view_of(const timeline::TimelineResult& result);
report::Report timeline_report(const timeline::TimelineResult& result, const report::TableView& view);

// A saved one. Throws InputError if weft timeline did not write it.
timeline::TimelineResult load_timeline(const std::filesystem::path& folder);

}  // namespace weft::tools
