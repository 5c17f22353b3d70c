#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/compose.h"
#include "platform/config/run_config.h"
#include "platform/iteration/precision/course.h"

namespace weft::train {

// What the hours are made of.
enum class Counted : std::uint8_t {
  Iteration,    // everything, as weft timeline has it
  Convolutions  // the card's kernels alone, one behind the other, as the thesis counts (Eq. 6.1)
};
const char* to_string(Counted counted);

// What somebody published about such a training, beside what comes out here.
enum class Claim : std::uint8_t { Speedup, Hours, Fp32Hours, ConvolutionsFor80Percent };
inline constexpr std::size_t kClaims = 4;
const char* to_string(Claim claim);
struct Published {
  Claim of = Claim::Speedup;
  double value = 0;
  std::string source;
  std::string why;  // ... the two are not the same; may be empty
};

struct LevelRun {
  precision::Level level = precision::kFp32;
  config::RunConfig run;  // with the kernel of this level
};

// A training under a policy: `weft train`.
struct TrainConfig {
  std::string name, title;
  bool gm = false;                            // on top of MuPPET
  precision::Replay rules;                    // without the traces
  std::filesystem::path diversities, errors;  // of the traces; empty: none
  int fp32_alone_epochs = 150;
  Counted counted = Counted::Iteration;
  std::vector<Published> published;
  std::vector<LevelRun> runs;  // of all levels that the policy may choose, lowest first; FP32 is the last

  const config::RunConfig& run() const { return runs.back().run; }
  const config::RunConfig& run(precision::Level level) const;
  std::int64_t iterations_per_epoch() const;
};

// Overrides as config::load_study has them. Throws InputError.
TrainConfig load_train(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                       const config::Library& library);

// One self-contained YAML file; traces by their absolute path.
std::string resolved_yaml(const TrainConfig& config);

}  // namespace weft::train
