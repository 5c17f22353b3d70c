#pragma once

#include <string>
#include <vector>

#include "model/fpgpt/result.h"

namespace weft::fpgpt {

// What differs first between fast and data execution, "cycles: fast 7, data 8"; empty: nothing does.
// All that both find, so without skipped_cycles.
std::string difference(const ConvolutionResult& fast, const ConvolutionResult& data);
// In bits; `fast` and `data` hold the words from address `first` on.
std::string difference(const float* fast, const std::vector<float>& data, Address first);

}  // namespace weft::fpgpt
