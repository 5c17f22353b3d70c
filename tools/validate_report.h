#pragma once

#include <optional>
#include <vector>

#include "platform/validate/baseline.h"
#include "platform/validate/comparison.h"
#include "tools/cli.h"

namespace weft::tools {

// The version of the JSON of a validation; it grows when a key changes its meaning or goes.
inline constexpr int kValidateSchema = 1;

// What a baseline said.
struct BaselineVerdict {
  std::string file;
  std::vector<validate::Deviation> deviations;
};

// A validation as a table to look at, as JSON (complete) and as CSV (a line per kernel and convolution).
Report report(const validate::ValidateConfig& config, const std::vector<validate::Pair>& pairs,
              const std::optional<BaselineVerdict>& baseline);

// The same as JUnit XML: a suite per kernel, a test per convolution, failed if its error left the baseline.
std::string junit_xml(const validate::ValidateConfig& config, const std::vector<validate::Pair>& pairs,
                      const std::optional<BaselineVerdict>& baseline);

}  // namespace weft::tools
