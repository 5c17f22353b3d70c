#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fpdeep/storage.h"
#include "platform/studies/cluster/cluster.h"

namespace weft::cluster {

// What of a serial lane's rate frames may use.
enum class Framing : std::uint8_t { None, Aurora };

// One way of reading what is published about the links.
struct NamedReading {
  std::string name;
  fpdeep::LinkReading links;
  int lanes = 6;  // to a neighbour
  Rational lane_gbps = 10;
  Framing framing = Framing::None;

  // A direction; without framing the rate of the lanes.
  double bits_per_s() const;
};

// FPDeep's one-dimensional array of boards: a file of configs/clusters.
class ArrayConfig final : public Cluster {
 public:
  std::int64_t dsp = 2880;  // of a board, for multiplications
  int word_bits = 16;
  Words block_ram_words = 2048;  // of such words in a block
  bool gi_first = false;
  // What a board computes; one of the two is given.
  std::optional<Rational> gops_per_board, images_per_s_per_board;
  fpdeep::StorageReading storage;
  int scaling_to = 150;
  std::vector<NamedReading> readings;  // at least one
  std::vector<PublishedBoards> published;

  Words board_words() const;

  const char* design() const override { return "fpdeep"; }
  std::string resolved_yaml() const override;
  std::vector<std::pair<const char*, std::string>> lines() const override;
  Plan plan(const workloads::ImportedGraph& graph, const nada::Progress& progress) const override;
  Figures figures(const workloads::ImportedGraph& graph) const override;
};

const char* to_string(Framing framing);

// The cluster that a file holds. Throws InputError.
ArrayConfig read_array(const config::Node& file, const config::Library& library);

// "features: unpooled, cuts: inner, partition: better, lanes: 6, lane_gbps: 10, framing: none".
std::string reading_text(const NamedReading& reading);
// "gradients: own, lag: pixels, weight_fetch: image".
std::string storage_text(const fpdeep::StorageReading& reading);

}  // namespace weft::cluster
