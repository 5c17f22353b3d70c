#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/compose.h"
#include "platform/config/run_config.h"
#include "platform/iteration/precision/precision_schedule.h"

namespace weft::train {

// Time that counts in the hours.
enum class Counted : std::uint8_t {
  Iteration,    // all, by weft timeline
  Convolutions  // the card's kernels only, in sequence, as in the thesis (Eq. 6.1)
};
const char* to_string(Counted counted);

// Rule that chooses the level of each convolution.
enum class Policy : std::uint8_t {
  Muppet,
  Gm,      // in addition to MuPPET
  Pruning  // all weights, and the masks of the run from an epoch on
};
const char* to_string(Policy policy);

// A published value of such a training, printed with ours.
enum class Claim : std::uint8_t { Speedup, Hours, Fp32Hours, ConvolutionsFor80Percent };
inline constexpr std::size_t kClaims = 4;
const char* to_string(Claim claim);
struct Published {
  Claim of = Claim::Speedup;
  double value = 0;
  std::string source;
  std::string why;  // reason why the two values differ; may be empty
};

struct LevelRun {
  precision::Level level = precision::kFp32;
  config::RunConfig run;  // with the kernel of this level
};

// A training under a policy: `weft train`.
struct TrainConfig {
  std::string name, title;
  Policy policy = Policy::Muppet;
  std::optional<precision::Pruning> pruning;  // with Policy::Pruning
  precision::Replay rules;                    // without traces
  std::filesystem::path diversities, errors;  // files of the traces; empty: none
  int fp32_alone_epochs = 150;
  Counted counted = Counted::Iteration;
  std::vector<Published> published;
  std::vector<LevelRun> runs;  // all levels that the policy may choose, lowest first; the last is FP32, or dense

  bool gm() const { return policy == Policy::Gm; }
  const config::RunConfig& run() const { return runs.back().run; }
  // Run of the file, from which those of all levels follow.
  const config::RunConfig& whole_run() const { return pruning ? runs.front().run : run(); }
  const config::RunConfig& run(precision::Level level) const;
  std::int64_t iterations_per_epoch() const;
};

// Reads a training; overrides as in config::load_experiment. Throws InputError.
config::Node describe_train();  // JSON Schema of the file
TrainConfig load_train(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                       const config::Library& library);

// Writes one self-contained YAML file, with absolute paths of the traces.
std::string resolved_yaml(const TrainConfig& config);

}  // namespace weft::train
