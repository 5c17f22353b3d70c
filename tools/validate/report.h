#pragma once

#include <optional>
#include <vector>

#include "platform/studies/validate/baseline.h"
#include "platform/studies/validate/comparison.h"
#include "platform/studies/validate/limits.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// The version of the JSON of a validation; it grows when a key changes its meaning or goes.
inline constexpr int kValidateSchema = 1;

// What a baseline said.
struct BaselineVerdict {
  std::string file;
  std::vector<validate::Deviation> deviations;
};

// What the validation is held to, and what that said.
struct Verdicts {
  std::optional<BaselineVerdict> baseline;
  std::optional<validate::LimitsVerdict> limits;
};

// A validation as a table to look at, as JSON (complete) and as CSV (a line per kernel and convolution).
Report report(const validate::ValidateConfig& config, const std::vector<validate::Pair>& pairs,
              const Verdicts& verdicts, const TableView& view);
// The first line of its CSV.
inline constexpr const char* kValidateColumns =
    "kernel,layer,kind,model,against,error,model_limiter,against_limiter,cause,work,blocked,starved,idle\n";

// Two lines: the limits, and what is beyond them.
std::string limits_text(const std::vector<validate::Pair>& pairs, const validate::LimitsVerdict& verdict);

// The same as JUnit XML: a suite per kernel, a test per convolution, failed if its error left the baseline or is
// beyond the limit.
inline constexpr const char* kJunitMark = "<testsuites name=\"weft ";
std::string junit_xml(const validate::ValidateConfig& config, const std::vector<validate::Pair>& pairs,
                      const Verdicts& verdicts);

}  // namespace weft::tools
