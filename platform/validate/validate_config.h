#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/run_config.h"

namespace weft::validate {

// What computes the cycles of a convolution. The rungs of a run, and the RTL under Verilator.
enum class Rung : std::uint8_t { Analytical, SystemC, Exact, Rtl };
const char* to_string(Rung rung);

inline constexpr std::size_t kKinds = 3;  // F, GI, GW, in the order of conv::Kind

// Figures of one kind that somebody else measured, in per cent.
struct PublishedFigures {
  double mean = 0, sd = 0, max = 0, min = 0;
};

// One kernel that the rungs are compared on: the run with that kernel in it.
struct KernelRun {
  std::string label;  // its name; "XxY" if it has none of its own
  config::RunConfig run;
};

// A validation, checked. Error is (model - against) / against throughout.
struct ValidateConfig {
  std::string name;
  std::string title;
  Rung model = Rung::Analytical;
  Rung against = Rung::Exact;
  std::vector<KernelRun> kernels;  // of one design
  std::array<std::optional<PublishedFigures>, kKinds> published;
  std::string published_source;
  double tolerance_percent = 0.01;  // percentage points that an error may move from a baseline saved by this validation
  std::int64_t worst = 10;          // convolutions that are listed and explained
  std::filesystem::path baseline;   // empty: none
};

// The validation `name_or_path` with the overrides applied: keys that begin with "validate." are its own, all others
// those of its run. `kernels`: only the kernels whose labels match one of these patterns; empty: all. Throws
// InputError.
ValidateConfig load_validate(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                             const std::string& kernels, const config::Library& library);

// One self-contained YAML file: reading it gives the identical validation.
std::string resolved_yaml(const ValidateConfig& config);

}  // namespace weft::validate
