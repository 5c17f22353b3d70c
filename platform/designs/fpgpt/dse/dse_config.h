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

// Which of the best kernels by the equations are simulated, and how.
struct RerankConfig {
  int count = 0;          // the best so many of each convolution; 0: none
  config::RunConfig run;  // the exploration's run with the rung, the batch and the choice of convolutions of the rerank
};

// What somebody else found for the same network, to print beside.
struct Published {
  std::optional<std::int64_t> kernels;  // with a penalty of zero
  std::optional<double> hours_per_epoch;
  std::string source;
};

// Everything an exploration is, checked. docs/dse.md describes the file.
struct DseConfig {
  std::string name;
  std::string title;
  config::RunConfig run;  // network, batch, board, and everything of the kernel but its array and sizes
  Readings readings;
  Budget budget;
  fpgpt::dse::Space space;
  std::vector<fpgpt::dse::PenaltyLimit> penalties;  // ascending; none: no sharing
  fpgpt::dse::SharingReadings sharing;
  bool minimum = true;                                         // also the fewest kernels, proved
  const fpgpt::ReadingDescriptor* compared_reading = nullptr;  // hours per epoch with each of its alternatives
  RerankConfig rerank;
  Published published;
};

// In percent: "0.5".
std::string percent_text(fpgpt::dse::PenaltyLimit limit);

// The exploration of a file. Throws InputError.
DseConfig read_dse(const config::Study& study, const config::Library& library);

// The exploration as one self-contained YAML file: reading it gives the identical exploration.
std::string resolved_yaml(const DseConfig& config);

}  // namespace weft::fpgpt::exploration
