#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/core/logic_form.h"

// The fit behind a design's reading `resources: synthesis`: what kernels took, and the linear forms from it.
namespace weft::synth {

// What was measured of one block of a kernel. In a CSV file a line, between the columns that tell the kernel from the
// others and those of LogicUse.
struct Measured {
  bool test = false;                // kept out of the fit, to see its error
  std::vector<std::string> kernel;  // in the order of the file's columns
  std::string block;
  LogicUse use;
};

// `columns`: of the kernel, as the first line has them: "x,y,z". Reading throws Error that names `name` and the line.
std::string to_csv(const std::string& columns, const std::vector<Measured>& all);
std::vector<Measured> read_csv(const std::string& columns, const std::string& text, const std::string& name);

// A field of such a line; `place` is where it stands, for the message.
std::int64_t number(const std::string& field, const std::string& place);

struct FitPoint {
  std::vector<double> features;
  LogicUse use, memory;  // what was measured, and what of it are memories, which follow from their shapes
};

// Least squares of the relative error of what a block takes beyond its memories, resource by resource. Not for no
// points.
LogicForm fitted(const std::vector<FitPoint>& points);

// As C++ includes it, rtl_coefficients.inc of `folder`: a LogicForm for each block.
std::string to_source(const std::string& folder, const std::vector<std::pair<std::string_view, LogicForm>>& blocks);

}  // namespace weft::synth
