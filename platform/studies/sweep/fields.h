#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/core/value.h"
#include "platform/iteration/timeline/iteration.h"
#include "platform/run/result.h"
#include "platform/studies/cluster/figures.h"

namespace weft::sweep {

// A field of a result: a column of the database, and a name for objectives, constraints, filters and sorting
// (platform/run/columns.h).
struct Field {
  std::string name;
  const char* type;  // of SQLite: INTEGER, REAL or TEXT
  std::string unit;  // as run::Column's
  std::string meaning;
};

// Of a whole point, a run or the plan of a cluster, and of each convolution of a run on any design. What only a
// simulation, or another design, knows is empty.
const std::vector<Field>& point_fields();
const std::vector<Field>& convolution_fields();

// The training iteration of a point: nothing where it has none, or why it is not known.
struct PointIteration {
  std::optional<timeline::TrainingIteration> iteration;
  std::string error;
};
inline constexpr const char* kIterationError = "iteration_error";  // the field of that error

// In the order of the fields; of the convolutions, one list a row of the result.
std::vector<Value> point_values(const run::Result& result, const PointIteration& of);
std::vector<Value> point_values(const cluster::Figures& figures);  // of a plan
std::vector<std::vector<Value>> convolution_values(const run::Result& result);

// Index of the field, or -1.
int find_field(const std::vector<Field>& fields, const std::string& name);

}  // namespace weft::sweep
