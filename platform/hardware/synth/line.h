#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/core/logic_use.h"

namespace weft::synth {

// What is reported of one block, or of all together: what was synthesised, the design's own estimate, and what its
// publication says, nothing where it says nothing.
struct Line {
  std::string block;
  LogicUse synthesised, model;
  std::optional<std::int64_t> thesis_dsp, thesis_bram18, thesis_uram;
};

// A kernel that was synthesised to calibrate the estimate, or kept out of that to check it.
struct CheckedKernel {
  bool test = false;
  std::string text;               // what it is, in a line
  nlohmann::ordered_json fields;  // columns that tell it from the others
  LogicUse measured, model;
};

}  // namespace weft::synth
