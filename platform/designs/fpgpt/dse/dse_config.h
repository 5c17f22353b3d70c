#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/fpgpt/analytical/readings.h"
#include "model/fpgpt/dse/problem.h"
#include "model/fpgpt/dse/sharing.h"
#include "platform/config/compose.h"
#include "platform/config/run_config.h"

namespace weft::fpgpt::exploration {

// Re-ranking: number of the best kernels by the equations that are simulated, and the run that simulates them.
struct RerankConfig {
  int count = 0;          // best kernels of each convolution; 0: none
  config::RunConfig run;  // the exploration's run with the rung, the batch and the convolutions of the rerank
};

// Published results for the same network, printed with ours.
struct Published {
  std::optional<std::int64_t> kernels;  // at a penalty of zero
  std::optional<double> epoch_hours;
  std::string source;
};

// A checked exploration. docs/how-to/dse.md describes the file.
struct DseConfig {
  std::string name;
  std::string title;
  config::RunConfig run;  // network, batch, board, and all of the kernel except its array and sizes
  Readings readings;
  Budget budget;
  fpgpt::dse::Space space;
  std::vector<fpgpt::dse::PenaltyLimit> penalties;  // ascending; none: no sharing
  fpgpt::dse::SharingReadings sharing;
  bool minimum = true;                                         // true: also proves the smallest number of kernels
  const fpgpt::ReadingDescriptor* compared_reading = nullptr;  // if set: hours per epoch for each of its alternatives
  RerankConfig rerank;
  Published published;
};

// A limit in percent: "0.5".
std::string percent_text(fpgpt::dse::PenaltyLimit limit);

// Reads the exploration of a file. Throws InputError.
config::Node describe_dse();  // JSON Schema of the file
DseConfig read_dse(const config::Experiment& experiment, const config::Library& library);

// Writes the exploration as one self-contained YAML file; reading it gives the identical exploration.
std::string resolved_yaml(const DseConfig& config);

}  // namespace weft::fpgpt::exploration
