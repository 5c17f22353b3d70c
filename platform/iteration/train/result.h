#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/inputs.h"
#include "platform/iteration/train/train.h"
#include "platform/record/record.h"

// The result of weft train: printed, saved and read back.
namespace weft::train {

struct LevelResult {
  std::string level, kernel;
  double convolution_s = 0;
  std::int64_t epochs = 0;
  double hours = 0;
};

struct SwitchResult {
  std::int64_t epoch = 0;
  std::string level;
};

struct ConvolutionResult {
  std::string name;
  record::Named<double> seconds;  // by level
};

struct SetupResult {
  Cycles cycles = 0;
  std::int64_t macs = 0;
  double convolution_s = 0;
  std::optional<double> iteration_s, kernel_s, host_s;
  std::optional<std::int64_t> loads, bitstreams;
  std::optional<double> load_s;
  std::vector<std::string> levels;
};

struct StretchResult {
  std::int64_t iterations = 0;
  std::size_t setup = 0;
  std::int64_t lowered = 0, loads = 0;
  double hours = 0;
};

struct EpochResult {
  std::int64_t epoch = 0;
  std::string level;
  double learning_rate = 0;
  std::optional<double> diversity, threshold;
  std::optional<std::int64_t> violations;
  std::vector<StretchResult> stretches;
  std::int64_t loads = 0;
  double hours = 0;
};

struct PublishedResult {
  Claim of = Claim::Speedup;
  double value = 0, here = 0;
  std::string source;
  std::optional<std::string> why;
};

struct TrainResult {
  std::string weft_version = record::weft_version(), training, policy, network, board;
  std::int64_t batch = 0;
  std::string rung;
  Counted counted = Counted::Iteration;
  std::int64_t iterations_per_epoch = 0, epochs_in_all = 0;
  double hours = 0;
  std::int64_t fp32_alone_epochs = 0;
  double fp32_alone_hours = 0;
  double speedup = 0;
  std::optional<double> card_hours;
  std::int64_t loads = 0;
  std::vector<LevelResult> levels;
  std::vector<SwitchResult> switches;
  std::vector<ConvolutionResult> convolutions;
  std::vector<std::string> for_80_percent;
  std::optional<std::vector<std::string>> accelerated;
  std::vector<SetupResult> setups;
  std::vector<EpochResult> epochs;
  std::vector<PublishedResult> published;
  std::int64_t unused_lines = 0;
  std::vector<int> unreachable_switches;  // epochs of `switch_epochs` at which MuPPET cannot switch
  std::optional<config::Inputs> inputs;
};
void fields(record::Visitor& io, TrainResult& result);

TrainResult result_of(const TrainConfig& config, const Training& training, const std::string& network);

// Reads a saved result. Throws InputError if weft train did not write it.
TrainResult read_result(const std::filesystem::path& file);

}  // namespace weft::train
