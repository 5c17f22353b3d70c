#pragma once

#include <string>
#include <vector>

#include "platform/hardware/synth/synth_design.h"
#include "tools/cli/options.h"

namespace weft::tools {

std::string synth_columns();  // first line of the CSV
// `text`: description of the kernel, printed above the table of blocks.
Report report(const synth::SynthResult& result, const std::string& text, const TableView& view);

// Errors of a design's own estimate on its calibration kernels, with those held out of the fit shown separately.
// `columns`: as in --columns. Throws Error if the table lacks one.
Report calibration_errors(const std::vector<synth::CheckedKernel>& kernels, const std::string& columns, Format format);

}  // namespace weft::tools
