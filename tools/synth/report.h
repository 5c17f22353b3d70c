#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/hardware/synth/line.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// `page`: how wide it may be.
std::string synth_table(const std::vector<synth::Line>& lines, std::size_t page);
std::string synth_columns();  // the first line of synth_csv
std::string synth_csv(const std::vector<synth::Line>& lines);
// A line more of that table: the kernel as one.
std::string flattened_csv(const LogicUse& use);
nlohmann::ordered_json synth_json(const std::vector<synth::Line>& lines);
nlohmann::ordered_json use_json(const LogicUse& use);

// How wrong a design's own estimate is on the kernels of its calibration, those kept out of the fit apart.
// `columns`: of its table, as --columns has them. Throws Error if there are no such ones.
Report calibration_errors(const std::vector<synth::CheckedKernel>& kernels, const std::string& columns, Format format);

}  // namespace weft::tools
