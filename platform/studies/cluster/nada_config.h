#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "model/link/ethernet/framed_link.h"
#include "platform/studies/cluster/cluster.h"

namespace weft::cluster {

// Limit of a resource that the board does not state.
inline constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max() / 4;

// Row of boards in which each layer has its own implementation: a file of configs/clusters with the key `nada`.
class NadaConfig final : public Cluster {
 public:
  Rational link_gbps = 100;  // per port and direction, including frames
  Bytes payload = 1472;
  int switches = 0;
  bool wait_for_link = true;           // false: UDP alone, nothing holds back a sender
  std::optional<Bytes> receive_bytes;  // of a tensor's receive FIFO; nothing: as much as the rate needs
  std::int64_t lost_per_million = 0, delayed_per_million = 0;  // frames
  std::optional<Rational> resend_after_us;                     // until a lost frame is sent again; nothing: never
  Rational delay_us = 0;                                       // more latency of a delayed frame
  Bytes dram_transfer_bytes = 4096;
  std::int64_t solver_millions = 20;  // millions of Z3 steps per query, for placement `any`
  int usable_percent = 80;
  nada::Costs costs;
  std::optional<Words> block_ram_words;  // words of word_bits in a block; nothing: those of the boards' blocks
  int word_bits = 32;
  nada::Activations activations = nada::Activations::Dram;
  nada::Placement placement = nada::Placement::Contiguous;
  std::int64_t stored_images = 7;
  std::int64_t batch = 256;                 // images between two weight updates
  std::int64_t dataset_images = 1'281'167;  // images per epoch
  Words update_words_per_cycle = 1;         // per layer, of its updater
  bool fc_in_dram = false;                  // weights of fully connected layers are stored in DRAM
  bool gi_first = false;
  bool fifos_within = true;  // FIFOs count towards the usable resources of a board
  std::vector<PublishedRate> published;

  std::int64_t clock_hz() const;
  ethernet::FramedConfig frames() const;
  std::int64_t link_goodput() const;            // payload bits per second and direction
  nada::Board usable(std::size_t board) const;  // usable resources of one board

  const char* design() const override { return "nada"; }
  std::string resolved_yaml() const override;
  std::vector<std::pair<const char*, std::string>> lines() const override;
  Plan plan(const workloads::ImportedGraph& graph, const nada::Progress& progress) const override;
  std::optional<BatchResult> timeline(const workloads::ImportedGraph& graph,
                                      const nada::Progress& progress) const override;
  Figures figures(const workloads::ImportedGraph& graph) const override;
};

// Reads the cluster of a file. Throws InputError.
config::Node describe_nada();  // JSON Schema of the file
NadaConfig read_nada(const config::Node& file, const config::Library& library);

}  // namespace weft::cluster
