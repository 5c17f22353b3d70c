#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "platform/designs/fpgpt/synth/calibration.h"
#include "platform/hardware/synth/line.h"

namespace weft::fpgpt {

// The blocks that the kernel has, beside the reading `resources: synthesis` and the thesis' equations, or `only` one;
// without `only` the last line is their sum.
std::vector<synth::Line> synth_lines(const SizedKernel& kernel, const synth::BlockUse& use,
                                     std::optional<std::size_t> only);

// The kernels of the calibration beside that reading.
std::vector<synth::CheckedKernel> checked(const std::vector<Sample>& samples);

}  // namespace weft::fpgpt
