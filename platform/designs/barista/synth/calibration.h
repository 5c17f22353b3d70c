#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/barista/analytical/rtl_resources.h"
#include "platform/hardware/synth/synthesis.h"

// The fit behind the reading `resources: synthesis`: kernels to synthesise, what they took, and the coefficients from
// it.
namespace weft::barista {

struct Point {
  Alpha alpha;
  bool test = false;  // kept out of the fit, to see its error
};

// The kernels that are synthesised for the fit.
std::vector<Point> calibration_points();

struct Sample {
  Point point;
  RtlBlock block{};
  LogicUse use;
};

// The samples of a kernel follow each other.
std::vector<Sample> measure(synth::Synthesis& synthesis);

// One line per point and block. Reading throws Error that names `name` and the line.
std::string to_csv(const std::vector<Sample>& samples);
std::vector<Sample> read_csv(const std::string& text, const std::string& name);

using Fit = std::array<LogicForm, kRtlBlocks>;

// Over the points that are not kept out, block by block.
Fit fit(const std::vector<Sample>& samples);

// As C++ includes it: model/barista/analytical/rtl_coefficients.inc.
std::string to_source(const Fit& fit);

// The kernels of the calibration beside the reading.
std::vector<synth::CheckedKernel> checked(const std::vector<Sample>& samples);

}  // namespace weft::barista
