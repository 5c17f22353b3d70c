#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/barista/dse/search.h"
#include "model/core/resources.h"
#include "platform/config/run_config.h"
#include "platform/config/study.h"
#include "platform/designs/barista/readings.h"

namespace weft::barista::exploration {

// What somebody else found for a layer, or for the whole network on one kernel, to print beside.
struct Published {
  std::string layer;  // empty: of the network
  dse::Tile tile;
  std::optional<double> gops_per_watt;
};

// Everything an exploration is, checked. docs/dse.md describes the file.
struct DseConfig {
  std::string name;
  std::string title;
  config::RunConfig run;  // network, batch, board, and everything of the kernel but its tile
  Readings readings;
  Budget budget;  // DSP and BRAM18
  Range r{4, 128, 4}, c{4, 128, 4}, p{2, 256, 2};
  dse::Objective objective = dse::Objective::Overall;
  double watts = 80;  // of the card, for GOPS/W; the thesis, section 4.3.1
  std::vector<Published> published;
  std::string source;  // of what is published
};

// The exploration of a file. Throws InputError.
DseConfig read_dse(const config::Study& study, const config::Library& library);

// The exploration as one self-contained YAML file: reading it gives the identical exploration.
std::string resolved_yaml(const DseConfig& config);

}  // namespace weft::barista::exploration
