#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/iteration/timeline/iteration.h"
#include "platform/record/csv.h"
#include "platform/run/result.h"
#include "platform/studies/cluster/figures.h"

// The figures of a point and of a convolution: columns of the database, names for objectives, constraints and filters.
namespace weft::sweep {

// Of a whole point, a run or the plan of a cluster, and of each convolution of a run on any design. What only a
// simulation, or another design, knows is empty.
const std::vector<record::Column>& point_columns();
const std::vector<record::Column>& convolution_columns();

// The training iteration of a point: nothing where it has none, or why it is not known.
struct PointIteration {
  std::optional<timeline::TrainingIteration> iteration;
  std::string error;
};
inline constexpr const char* kIterationError = "iteration_error";  // the column of that error

// In the order of the columns; of the convolutions, one list a row of the result.
std::vector<Value> point_values(const run::Result& result, const PointIteration& of);
std::vector<Value> point_values(const cluster::Figures& figures);  // of a plan
std::vector<std::vector<Value>> convolution_values(const run::Result& result);

}  // namespace weft::sweep
