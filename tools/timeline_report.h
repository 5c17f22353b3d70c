#pragma once

#include <string>

#include "platform/report/report.h"
#include "platform/timeline/iteration.h"

namespace weft::tools {

report::Report timeline_report(const timeline::TrainingIteration& iteration);

// One line of it: "690.1 s an iteration of 256 images, 959 h an epoch: kernels 85%, ...".
std::string timeline_line(const timeline::TrainingIteration& iteration);

}  // namespace weft::tools
