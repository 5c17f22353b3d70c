#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/record/record.h"
#include "platform/studies/validate/comparison.h"

namespace weft::validate {

// The error of one convolution as it was when the baseline was saved, and by how much it may move.
struct BaselineEntry {
  std::string kernel, layer;
  conv::Kind kind = conv::Kind::F;
  Cycles model = 0, against = 0;
  double tolerance_percent = 0;  // percentage points

  double error() const { return static_cast<double>(model - against) / static_cast<double>(against); }
};

struct Baseline {
  std::string name;  // of the validation
  Rung model = Rung::Analytical, against = Rung::Exact;
  std::vector<BaselineEntry> entries;
  std::string weft_version = record::weft_version();
};

Baseline make_baseline(const ValidateConfig& config, const std::vector<Pair>& pairs);
std::string to_json(const Baseline& baseline);  // a line for each convolution

// Throws Error that names the file and what is wrong in it.
Baseline read_baseline(const std::filesystem::path& file);

// A convolution whose error is not what the baseline says. Either side may be missing.
struct Deviation {
  std::string kernel, layer;
  conv::Kind kind = conv::Kind::F;
  std::optional<double> old_error, new_error;
  double tolerance_percent = 0;

  std::string text() const;  // one line that names the convolution, the old and the new value
};

// What a baseline said.
struct BaselineVerdict {
  std::string file;
  std::vector<Deviation> deviations;
};
void fields(record::Visitor& io, BaselineVerdict& verdict);

// Throws Error if the baseline is of other rungs. `subset`: the run left convolutions out on purpose, so those of the
// baseline that are not in it are not missed. In the order of the pairs; what is missed comes last.
std::vector<Deviation> deviations(const Baseline& baseline, const ValidateConfig& config,
                                  const std::vector<Pair>& pairs, bool subset);

// Before any work is spent: that the baseline is of these rungs.
void require_same_rungs(const Baseline& baseline, const ValidateConfig& config);

}  // namespace weft::validate
