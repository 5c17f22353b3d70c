#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/inputs.h"
#include "platform/record/record.h"
#include "platform/studies/validate/baseline.h"
#include "platform/studies/validate/limits.h"
#include "platform/studies/validate/statistics.h"

namespace weft::validate {

struct KindStatistics {
  Statistics errors;
  std::optional<PublishedFigures> published;
};

// Result of a validation of runs, as printed, saved and read back.
struct ValidateResult {
  std::string weft_version = record::weft_version(), name;
  Rung model = Rung::Analytical, against = Rung::Exact;
  std::array<std::optional<KindStatistics>, kKinds> statistics;  // nothing for absent kinds
  Histogram histogram;
  std::vector<PairResult> convolutions;
  std::optional<BaselineVerdict> baseline;
  std::optional<LimitsVerdict> limits;
  std::optional<std::string> board;  // of all runs; nothing if they differ
  std::optional<int> batch;
  std::optional<std::string> published_source;
  std::int64_t worst = 0;
  std::optional<config::Inputs> inputs;

  bool holds() const;                            // true if baseline (if any) and limits hold
  bool published() const;                        // published figures exist for one of the kinds
  std::vector<std::size_t> worst_first() const;  // indices of all convolutions
  std::vector<std::string> kernels() const;
};
void fields(record::Visitor& io, ValidateResult& result);

// Without the verdict of a baseline.
ValidateResult result_of(const ValidateConfig& config, const std::vector<Pair>& pairs);

// Result as JUnit XML: a suite per run and kernel, a test per convolution, which fails if it violates baseline or
// limit. Times are processor seconds of the simulations; 0 if the result is a saved one.
inline constexpr const char* kJunitMark = "<testsuites name=\"weft ";
std::string junit_xml(const ValidateResult& result);

}  // namespace weft::validate
