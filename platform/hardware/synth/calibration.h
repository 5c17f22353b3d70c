#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "model/core/logic_form.h"
#include "platform/hardware/synth/synthesis.h"

// The fit of a design's reading `resources: synthesis`: kernels to synthesise, measured use of their blocks, and the
// linear forms fitted to it.
namespace weft::synth {

struct Sample {
  CalibrationKernel of;
  std::size_t block = 0;
  LogicUse use;
};

// CSV with one line for each kernel and block; the blocks of a kernel follow each other. read_csv() throws Error with
// `name` and the line.
std::string to_csv(const SynthDesign& synth_design, const std::vector<Sample>& samples);
std::vector<Sample> read_csv(const SynthDesign& synth_design, const std::string& text, const std::string& name);
// Reads the samples of the project in `source`.
std::vector<Sample> read_samples(const SynthDesign& synth_design, const std::filesystem::path& source);
// Returns the kernels of samples, in their order.
std::vector<CalibrationKernel> kernels_of(const std::vector<Sample>& samples);
// Parses a field of such a line; `place`: its position, for the error.
std::int64_t number(const std::string& field, const std::string& place);

// Fits the use of each block beyond its memories by least squares of the relative error, resource by resource. Uses the
// kernels of this file of coefficients, without test kernels. Throws Error for a block that none of them has.
std::vector<LogicForm> fit(const SynthDesign& synth_design, const std::vector<Sample>& samples,
                           const std::string& coefficients);

struct Calibration {
  std::size_t blocks = 0, kernels = 0;                     // numbers synthesised
  std::vector<std::pair<std::string, std::string>> files;  // by name
};
// Synthesises the kernels of the data in `source` again and fits the forms to them. A line of block 0 with any counts
// adds a kernel.
Calibration calibrate(const SynthDesign& synth_design, Synthesis& synthesis, const std::filesystem::path& source);

// Compares the estimate with the synthesis: the kernels of the samples, summed over their blocks.
std::vector<CheckedKernel> checked(const std::vector<Sample>& samples);

// Lines of all blocks of the kernel, followed by their sum; or only that of the block `only`.
std::vector<Line> lines_of(const SynthDesign& synth_design, const PreparedKernel& kernel, const BlockUse& use,
                           std::optional<std::size_t> only);

}  // namespace weft::synth
