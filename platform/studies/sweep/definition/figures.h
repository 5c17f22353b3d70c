#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/iteration/timeline/iteration.h"
#include "platform/record/csv.h"
#include "platform/run/result.h"
#include "platform/studies/cluster/figures.h"

// Figures of a point and of a convolution: columns of the database, names in objectives, constraints and filters.
namespace weft::sweep {

// Columns of a whole point (a run, or the plan of a cluster), and of a convolution of a run, for all designs. Values
// that need a simulation or another design are empty.
const std::vector<record::Column>& point_columns();
const std::vector<record::Column>& convolution_columns();

// Training iteration of a point, or the reason why there is none; both may be empty.
struct PointIteration {
  std::optional<timeline::TrainingIteration> iteration;
  std::string error;
};
inline constexpr const char* kIterationError = "iteration_error";  // column with this reason

// Values in the order of the columns; convolution_values() has one list per row of the result.
std::vector<Value> point_values(const run::Result& result, const PointIteration& of);
std::vector<Value> point_values(const cluster::Figures& figures);  // figures of a plan
std::vector<std::vector<Value>> convolution_values(const run::Result& result);

}  // namespace weft::sweep
