#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/fpgpt/analytical/rtl_resources.h"
#include "platform/hardware/synth/synthesis.h"

// The fit behind the reading `resources: synthesis`: kernels to synthesise, what they took, and the coefficients from
// it.
namespace weft::fpgpt {

// A kernel with the depth of its table of start(s).
struct SizedKernel {
  Alpha alpha;
  std::int64_t max_sets = 1;
};

struct Point {
  SizedKernel kernel;
  bool test = false;  // kept out of the fit, to see its error
};

// The kernels that are synthesised for the fit.
std::vector<Point> calibration_points();

struct Sample {
  Point point;
  RtlBlock block{};
  LogicUse use;
};

std::vector<Sample> measure(synth::Synthesis& synthesis);

// One line per point and block. Reading throws Error that names `name` and the line.
std::string to_csv(const std::vector<Sample>& samples);
std::vector<Sample> read_csv(const std::string& text, const std::string& name);

// Least squares of the relative error over the points of FP32 or of fixed point that are not kept out, block by block
// and resource by resource, of what the blocks take beyond their memories.
std::array<LogicForm, kRtlBlocks> fit(const std::vector<Sample>& samples, NumberFormat::Kind numbers);

// As C++ includes it: model/fpgpt/analytical/rtl_coefficients.inc, and rtl_coefficients_fixed.inc.
std::string to_source(const std::array<LogicForm, kRtlBlocks>& forms);

}  // namespace weft::fpgpt
