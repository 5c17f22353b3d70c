#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/run_config.h"

namespace weft::validate {

// Source of a convolution's cycles: the rungs of a run, and the RTL under Verilator.
enum class Rung : std::uint8_t { Analytical, SystemC, Exact, Rtl };
inline constexpr std::size_t kRungs = 4;
const char* to_string(Rung rung);

inline constexpr std::size_t kKinds = 3;  // F, GI, GW, in the order of conv::Kind

// Published figures of one kind, in per cent.
struct PublishedFigures {
  double mean = 0, sd = 0, max = 0, min = 0;
};

// Largest accepted errors, in per cent either way; beyond them the validation fails. Default: rounded errors of the
// thesis' equations (Table 5.4: largest mean of a kind 9.35, largest error of a convolution 15.8).
struct Limits {
  double total = 10;        // cycles of each kind, and of all
  double convolution = 16;  // cycles of one convolution
};

// Kernel on which the rungs are compared, as a run.
struct KernelRun {
  std::string label;  // name of the kernel, default "XxY"; after that of the run and '/' if there are several runs
  config::RunConfig run;
};

// Checked validation. Error is (model - against) / against throughout.
struct ValidateConfig {
  std::string name;
  std::string title;
  Rung model = Rung::Analytical;
  Rung against = Rung::Exact;
  bool several_runs = false;       // the file has `runs` in place of `run`
  std::vector<KernelRun> kernels;  // of one design; all kernels of the first run, then of the next
  std::array<std::optional<PublishedFigures>, kKinds> published;
  std::string published_source;
  double tolerance_percent = 0.01;         // percentage points that an error may move from a saved baseline
  double tolerance_cycles_percent = 0.01;  // change of the cycles of either rung from a saved baseline
  std::int64_t worst = 10;                 // convolutions listed and explained
  std::filesystem::path baseline;          // empty if there is none
  std::optional<Limits> limits;            // nothing if there are none
};

// Loads the validation `name_or_path` with the overrides: keys with the prefix "validate." are its own, all others
// those of its run. `kernels`: patterns of the kernel labels to keep; empty: all. Throws InputError.
config::Node describe_validate();  // JSON Schema of the file
ValidateConfig load_validate(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                             const std::string& kernels, const config::Library& library);

// Validation of a run file: equations against the exact rung on the run's kernel, within Limits, unless overridden. Two
// simulations must agree to the cycle. Throws InputError.
ValidateConfig validate_run(const std::filesystem::path& run, const std::vector<config::Override>& overrides,
                            const std::string& kernels, const config::Library& library);

// Self-contained YAML file that reads back as an identical validation.
std::string resolved_yaml(const ValidateConfig& config);
// The same without keys that do not change the result.
std::string deciding_yaml(ValidateConfig config);

}  // namespace weft::validate
