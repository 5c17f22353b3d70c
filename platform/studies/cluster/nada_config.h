#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/frequency.h"
#include "model/nada/planner.h"
#include "platform/config/board.h"
#include "platform/config/compose.h"

namespace weft::cluster {

// A row of NADA's table.
struct PublishedRate {
  std::string network, cluster;
  std::int64_t measured = 0, planned = 0;  // images a second
  std::int64_t plan_minutes = 0, run_hours = 0;
};

// Boards in a row, each layer of a network with an implementation of its own: a file of configs/clusters with `nada`.
struct NadaConfig {
  std::string name, title, network;
  config::Board board;
  int boards = 1;
  Rational link_gbps = 100;  // of one port a direction, frames included
  Bytes payload = 1472;
  int switches = 0;
  Rational clock_mhz = 200;
  std::int64_t solver_millions = 20;  // of Z3's steps for a question, where placement is any
  int usable_percent = 80;
  nada::Costs costs;
  int word_bits = 32;
  nada::Activations activations = nada::Activations::Dram;
  nada::Placement placement = nada::Placement::Contiguous;
  std::int64_t stored_images = 7;
  std::int64_t batch = 256;                 // images between two updates
  std::int64_t dataset_images = 1'281'167;  // of an epoch
  Words update_words_per_cycle = 1;         // of each layer's updater
  bool fc_in_dram = false;                  // the weights of fully connected layers
  bool gi_first = false;
  bool fifos_within = true;  // what a plan's FIFOs take is of what a board may use
  std::vector<PublishedRate> published;
  std::vector<std::string> assumed;  // dotted keys whose figures are assumptions

  std::int64_t clock_hz() const;
  std::int64_t link_goodput() const;  // bits a second a direction of what frames carry
  nada::Board usable() const;         // of one board
};

// Whether a file of configs/clusters is one of these.
bool is_nada(const config::Node& file);
bool is_nada(const std::string& name_or_path, const config::Library& library);

// A file, or a name in configs/clusters. Throws InputError.
NadaConfig load_nada(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                     const config::Library& library);

// What such a file holds, or changes of it.
NadaConfig read_nada(const config::Node& file, const config::Library& library);

// One self-contained YAML file.
std::string resolved_yaml(const NadaConfig& config);

}  // namespace weft::cluster
