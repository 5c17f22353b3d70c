#pragma once

#include <string>
#include <vector>

#include "model/core/word.h"
#include "model/fpgpt/result.h"

namespace weft::fpgpt {

// What differs first between fast and data execution, "cycles: fast 7, data 8"; empty: nothing does.
// All that both find, so without skipped_cycles.
std::string difference(const ConvolutionResult& fast, const ConvolutionResult& data);
// `fast` and `data` hold the words from address `first` on.
std::string difference(const std::vector<Word>& fast, const std::vector<Word>& data, Address first);

}  // namespace weft::fpgpt
