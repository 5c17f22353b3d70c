#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/difference.h"
#include "platform/record/record.h"
#include "platform/studies/validate/comparison.h"

namespace weft::validate {

// Measurements of a convolution when the baseline was saved, and its tolerances.
struct BaselineEntry {
  std::string kernel, layer;
  conv::Kind kind = conv::Kind::F;
  MeasurementResult model, against;
  double tolerance_percent = 0;         // of the error, in percentage points
  double tolerance_cycles_percent = 0;  // of the cycles of each rung

  double error() const {
    return static_cast<double>(model.cycles - against.cycles) / static_cast<double>(against.cycles);
  }
};

// Inputs of the measurements on a kernel.
struct MadeFrom {
  std::string run, kernel, network;
  std::string network_digest;  // of the network's file, or of the layers in the run
  std::string board;
  int batch = 1;
  std::string config;  // YAML of the run, without keys that do not change a measurement
};

struct Baseline {
  std::string name;  // name of the validation
  Rung model = Rung::Analytical, against = Rung::Exact;
  std::vector<MadeFrom> made_from;  // one for each kernel of each run
  std::vector<BaselineEntry> entries;
  std::string weft_version = record::weft_version();
};

// Returns a baseline without entries. Throws Error if there is no such network.
Baseline begin_baseline(const ValidateConfig& config, const config::Library& library);
void add(Baseline& baseline, const ValidateConfig& config, const std::vector<PairResult>& pairs);
std::string to_json(const Baseline& baseline);  // one line per kernel and per convolution

// Throws Error that names the file and the fault.
Baseline read_baseline(const std::filesystem::path& file);

// Cycles of a rung in the baseline and now.
struct CyclesMoved {
  std::optional<Cycles> old_cycles, new_cycles;

  Cycles by() const { return new_cycles.value_or(0) - old_cycles.value_or(0); }
  double change() const;  // as a fraction of old_cycles
};

// Convolution that deviates from the baseline. Either side may be missing.
struct Deviation {
  std::string kernel, layer;
  conv::Kind kind = conv::Kind::F;
  std::optional<double> old_error = {}, new_error = {};
  double tolerance_percent = 0;
  std::optional<double> tolerance_cycles_percent = {};
  CyclesMoved model = {}, against = {};    // empty if one side is missing
  std::optional<std::string> change = {};  // of each rung, with its block that differs most; nothing as above
  std::optional<std::string> keys = {};    // keys of the kernel's run that differ; nothing if one side lacks the kernel

  std::string text() const;  // one line with the convolution, the old and the new values
};

// Verdict of a comparison with a baseline.
struct BaselineVerdict {
  std::string file;
  std::vector<Deviation> deviations;

  std::string text() const;  // a line per deviation, then the keys that differ
};
void fields(record::Visitor& io, Deviation& deviation);
void fields(record::Visitor& io, BaselineVerdict& verdict);

// Throws Error if `now` is of other rungs, or of a run, kernel, network, batch or board that `old` does not have.
void require_same_subject(const std::string& file, const Baseline& old, const Baseline& now);

// Returns the convolutions that moved beyond a tolerance of `old`, largest change of cycles first, then the new and the
// missing ones. `subset`: `now` omits convolutions on purpose, so they are not reported as missing.
std::vector<Deviation> deviations(const Baseline& old, const Baseline& now, bool subset);

// Comparison of two saved validations, of which A is the baseline of B, without tolerances.
struct ValidationComparison {
  std::string weft_version = record::weft_version(), a, b;
  std::vector<config::Difference> keys;  // of the runs, each once
  BaselineVerdict verdict;

  double largest_change() const;  // of the cycles of a rung, as a fraction; infinity if A or B lacks a convolution
};
void fields(record::Visitor& io, ValidationComparison& comparison);

// Compares the results in two folders. Throws Error and InputError.
ValidationComparison compare(const std::filesystem::path& a, const std::filesystem::path& b,
                             const config::Library& library);

}  // namespace weft::validate
