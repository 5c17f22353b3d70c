#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "platform/studies/cluster/cluster.h"

namespace weft::cluster {

// The limit of what a board does not say.
inline constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max() / 4;

// Boards in a row, each layer of a network with an implementation of its own: a file of configs/clusters with `nada`.
class NadaConfig final : public Cluster {
 public:
  Rational link_gbps = 100;  // of one port a direction, frames included
  Bytes payload = 1472;
  int switches = 0;
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

  std::int64_t clock_hz() const;
  std::int64_t link_goodput() const;  // bits a second a direction of what frames carry
  nada::Board usable() const;         // of one board

  const char* design() const override { return "nada"; }
  std::string resolved_yaml() const override;
  std::vector<std::pair<const char*, std::string>> lines() const override;
  Plan plan(const workloads::ImportedGraph& graph, const nada::Progress& progress) const override;
  std::optional<BatchResult> timeline(const workloads::ImportedGraph& graph,
                                      const nada::Progress& progress) const override;
  Figures figures(const workloads::ImportedGraph& graph) const override;
};

// The cluster that a file holds. Throws InputError.
NadaConfig read_nada(const config::Node& file, const config::Library& library);

}  // namespace weft::cluster
