#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/record/record.h"
#include "platform/studies/validate/comparison.h"

namespace weft::validate {

// Error of a convolution when the baseline was saved, and its tolerance.
struct BaselineEntry {
  std::string kernel, layer;
  conv::Kind kind = conv::Kind::F;
  Cycles model = 0, against = 0;
  double tolerance_percent = 0;  // percentage points

  double error() const { return static_cast<double>(model - against) / static_cast<double>(against); }
};

struct Baseline {
  std::string name;  // name of the validation
  Rung model = Rung::Analytical, against = Rung::Exact;
  std::vector<BaselineEntry> entries;
  std::string weft_version = record::weft_version();
};

Baseline make_baseline(const ValidateConfig& config, const std::vector<Pair>& pairs);
std::string to_json(const Baseline& baseline);  // one line per convolution

// Throws Error that names the file and the fault.
Baseline read_baseline(const std::filesystem::path& file);

// Convolution whose error deviates from the baseline. Either side may be missing.
struct Deviation {
  std::string kernel, layer;
  conv::Kind kind = conv::Kind::F;
  std::optional<double> old_error, new_error;
  double tolerance_percent = 0;

  std::string text() const;  // one line with the convolution, the old and the new value
};

// Verdict of a comparison with a baseline.
struct BaselineVerdict {
  std::string file;
  std::vector<Deviation> deviations;
};
void fields(record::Visitor& io, BaselineVerdict& verdict);

// Returns deviations in the order of the pairs, missing convolutions last. `subset`: the run omits convolutions on
// purpose, so they are not reported as missing. Throws Error if the baseline is of other rungs.
std::vector<Deviation> deviations(const Baseline& baseline, const ValidateConfig& config,
                                  const std::vector<Pair>& pairs, bool subset);

// Throws Error if the baseline is of other rungs. Call before any simulation.
void require_same_rungs(const Baseline& baseline, const ValidateConfig& config);

}  // namespace weft::validate
