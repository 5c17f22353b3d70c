#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "model/core/logic_form.h"
#include "platform/hardware/synth/synthesis.h"

// The fit of a design's reading `resources: synthesis`: kernels to synthesise, what their blocks took, and the linear
// forms from it.
namespace weft::synth {

struct Sample {
  CalibrationKernel of;
  std::size_t block = 0;
  LogicUse use;
};

// One line for each kernel and block, the blocks of a kernel after each other. Reading throws Error that names `name`
// and the line.
std::string to_csv(const Subject& subject, const std::vector<Sample>& samples);
std::vector<Sample> read_csv(const Subject& subject, const std::string& text, const std::string& name);
// Those of the project in `source`.
std::vector<Sample> read_samples(const Subject& subject, const std::filesystem::path& source);
// The kernels of samples, in their order.
std::vector<CalibrationKernel> kernels_of(const std::vector<Sample>& samples);
// A field of such a line; `place` is where it stands, for the message.
std::int64_t number(const std::string& field, const std::string& place);

// Least squares of the relative error of what each block takes beyond its memories, resource by resource, over the
// kernels of this file of coefficients that are not kept out. Throws Error for a block that none of them has.
std::vector<LogicForm> fit(const Subject& subject, const std::vector<Sample>& samples, const std::string& coefficients);

struct Calibration {
  std::size_t blocks = 0, kernels = 0;                     // that were synthesised
  std::vector<std::pair<std::string, std::string>> files;  // by name
};
// Synthesises the kernels of the data in `source` once more and fits the forms to them. A line of block 0 with any
// counts adds a kernel.
Calibration calibrate(const Subject& subject, Synthesis& synthesis, const std::filesystem::path& source);

// How wrong the estimate is: the kernels of the samples, block after block added up.
std::vector<CheckedKernel> checked(const std::vector<Sample>& samples);

// The blocks that the kernel has, or `only` one; without `only` the last line is their sum.
std::vector<Line> lines_of(const Subject& subject, const PreparedKernel& kernel, const BlockUse& use,
                           std::optional<std::size_t> only);

}  // namespace weft::synth
