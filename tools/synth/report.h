#pragma once

#include <string>
#include <vector>

#include "platform/hardware/synth/subject.h"

namespace weft::tools {

std::string synth_columns();  // the first line of the CSV
// `text`: what the table says of the kernel above the blocks.
Report report(const synth::SynthResult& result, const std::string& text, const TableView& view);

// How wrong a design's own estimate is on the kernels of its calibration, those kept out of the fit apart.
// `columns`: of its table, as --columns has them. Throws Error if there are no such ones.
Report calibration_errors(const std::vector<synth::CheckedKernel>& kernels, const std::string& columns, Format format);

}  // namespace weft::tools
