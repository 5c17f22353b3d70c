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
inline constexpr std::size_t kRungs = 4;
const char* to_string(Rung rung);

inline constexpr std::size_t kKinds = 3;  // F, GI, GW, in the order of conv::Kind

// Figures of one kind that somebody else measured, in per cent.
struct PublishedFigures {
  double mean = 0, sd = 0, max = 0, min = 0;
};

// The largest errors that are taken, in per cent either way; beyond them the validation fails. Unless given: what the
// thesis found of its equations, in round figures (Table 5.4: the largest mean of a kind 9.35, the largest error of a
// convolution 15.8).
struct Limits {
  double total = 10;        // of the cycles of each kind, and of all
  double convolution = 16;  // of the cycles of one
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
  std::optional<Limits> limits;     // nothing: none
};

// The validation `name_or_path` with the overrides applied: keys that begin with "validate." are its own, all others
// those of its run. `kernels`: only the kernels whose labels match one of these patterns; empty: all. Throws
// InputError.
ValidateConfig load_validate(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                             const std::string& kernels, const config::Library& library);

// The validation of a run, a file: its equations against the exact rung on its own kernel, within Limits, unless the
// overrides say otherwise. Two simulations must agree to the cycle. Throws InputError.
ValidateConfig validate_run(const std::filesystem::path& run, const std::vector<config::Override>& overrides,
                            const std::string& kernels, const config::Library& library);

// One self-contained YAML file: reading it gives the identical validation.
std::string resolved_yaml(const ValidateConfig& config);

}  // namespace weft::validate
