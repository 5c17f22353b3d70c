#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fpdeep/storage.h"
#include "model/link/ethernet/framed_link.h"
#include "platform/studies/cluster/cluster.h"

namespace weft::cluster {

// Framing that reduces the usable rate of a serial lane.
enum class Framing : std::uint8_t { None, Aurora };

// One interpretation of the published link figures.
struct NamedReading {
  std::string name;
  fpdeep::LinkReading links;
  int lanes = 6;  // per neighbour
  Rational lane_gbps = 10;
  Framing framing = Framing::None;

  ethernet::FramedConfig frames() const;  // without framing no overhead and no latency
  // Usable rate in one direction; without framing the rate of the lanes.
  double bits_per_s() const;
};

// FPDeep's one-dimensional array of boards, from a file of configs/clusters.
class ArrayConfig final : public Cluster {
 public:
  std::int64_t dsp = 2880;  // DSPs per board used for multiplications
  int word_bits = 16;
  std::optional<Words> block_ram_words;  // words of word_bits per block RAM; nothing: those of the board's blocks
  bool gi_first = false;
  fpdeep::StorageReading storage;
  int scaling_to = 150;
  std::vector<NamedReading> readings;  // at least one
  std::string simulated_reading;       // name of the reading whose links are simulated; empty: the first
  std::vector<PublishedBoards> published;

  const NamedReading& simulated() const;
  double peak_gops() const;   // of the DSPs of a board; one MAC is two operations
  Words board_words() const;  // in block RAM and UltraRAM of a board

  const char* design() const override { return "fpdeep"; }
  std::string resolved_yaml() const override;
  std::vector<std::pair<const char*, std::string>> lines() const override;
  Plan plan(const workloads::ImportedGraph& graph, const nada::Progress& progress) const override;
  Figures figures(const workloads::ImportedGraph& graph) const override;
};

const char* to_string(Framing framing);

// Reads the cluster of a file. Throws InputError.
config::Node describe_array();  // JSON Schema of the file
ArrayConfig read_array(const config::Node& file, const config::Library& library);

// Text of a reading: "cuts: inner, partition: better, lanes: 6, lane_gbps: 10, framing: none".
std::string reading_text(const NamedReading& reading);
// Text of a storage reading: "features: unpooled, gradients: own, lag: pixels, weight_fetch: image".
std::string storage_text(const fpdeep::StorageReading& reading);

}  // namespace weft::cluster
