#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/config/difference.h"
#include "platform/iteration/timeline/result.h"

namespace weft::timeline {

// A part of the time of two iterations. `change`: of the time an image, b / a - 1; nothing where A has none of it.
struct ComparedPart {
  std::string part;
  Picoseconds a = 0, b = 0;
  double a_image_s = 0, b_image_s = 0;
  std::optional<double> change;
};
void fields(record::Visitor& io, ComparedPart& part);

// Two saved timelines side by side, image by image where their batches differ, as they are printed.
struct TimelineComparison {
  std::string weft_version = record::weft_version();
  std::string a, b;  // their names
  std::vector<config::Difference> keys;
  TimelineResult iteration_a, iteration_b;
  std::vector<ComparedPart> where;  // what either spends time on; last the iteration
};
void fields(record::Visitor& io, TimelineComparison& comparison);

// Without names and keys.
TimelineComparison compare(TimelineResult a, TimelineResult b);

}  // namespace weft::timeline
