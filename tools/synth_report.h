#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/fpgpt/synth/calibration.h"
#include "tools/cli.h"

namespace weft::tools {

// What `weft synth` reports of one block, or of all together: nothing where the equations say nothing.
struct SynthLine {
  std::string block;
  fpgpt::LogicUse synthesised, model;
  std::optional<std::int64_t> thesis_dsp, thesis_bram18, thesis_uram;
};

// The blocks that the kernel has, or `only` one; without `only` the last line is their sum.
std::vector<SynthLine> synth_lines(const synth::Kernel& kernel, const synth::BlockUse& use,
                                   std::optional<fpgpt::RtlBlock> only);

std::string synth_table(const std::vector<SynthLine>& lines);
std::string synth_csv(const std::vector<SynthLine>& lines);
// A line more of that table: the kernel as one.
std::string flattened_csv(const fpgpt::LogicUse& use);
nlohmann::ordered_json synth_json(const std::vector<SynthLine>& lines);
nlohmann::ordered_json use_json(const fpgpt::LogicUse& use);

// How wrong the reading `resources: synthesis` is on the kernels of its calibration, those kept out of the fit apart.
Report calibration_errors(const std::vector<synth::Sample>& samples);

}  // namespace weft::tools
