#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "platform/config/inputs.h"
#include "platform/record/record.h"
#include "platform/studies/validate/baseline.h"
#include "platform/studies/validate/limits.h"
#include "platform/studies/validate/statistics.h"

namespace weft::validate {

// Measurement with the names of the blocks.
struct MeasurementResult {
  Cycles cycles = 0;
  std::string limiter;
  // In the order of the topology: cycles by the block's equation, or its activities in a simulation.
  record::Named<std::variant<Cycles, Activities>> blocks;
  std::optional<bool> repeats;
};

struct CauseResult {
  std::string block;
  Cycles work = 0, blocked = 0, starved = 0, idle = 0;
};

// Pair with the cause of the difference between its rungs.
struct PairResult {
  std::string kernel, layer;
  conv::Kind kind = conv::Kind::F;
  double error = 0;
  MeasurementResult model, against;
  CauseResult cause;
  std::string reason;

  bool repeats() const { return model.repeats.value_or(false) || against.repeats.value_or(false); }
};

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
  std::string board;
  int batch = 1;
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

// Result as JUnit XML: a suite per kernel, a test per convolution, which fails if its error violates baseline or limit.
inline constexpr const char* kJunitMark = "<testsuites name=\"weft ";
std::string junit_xml(const ValidateResult& result);

}  // namespace weft::validate
