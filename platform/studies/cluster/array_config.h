#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/frequency.h"
#include "model/fpdeep/links.h"
#include "model/fpdeep/storage.h"
#include "platform/config/board.h"
#include "platform/config/compose.h"

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

// What somebody published about how far such an array scales.
struct PublishedBoards {
  int boards = 0;
  std::string source;
};

// FPDeep's one-dimensional array of boards: a file of configs/clusters.
struct ArrayConfig {
  std::string name, title, network;
  config::Board board;
  int boards = 15;
  std::int64_t dsp = 2880;  // of a board, for multiplications
  Rational clock_mhz = 200;
  int word_bits = 16;
  Words block_ram_words = 2048;  // of such words in a block
  bool gi_first = false;
  // What a board computes; one of the two is given.
  std::optional<Rational> gops_per_board, images_per_s_per_board;
  fpdeep::StorageReading storage;
  int scaling_to = 150;
  std::vector<NamedReading> readings;  // at least one
  std::vector<PublishedBoards> published;
  std::vector<std::string> assumed;  // dotted keys whose figures are assumptions

  Words board_words() const;
};

const char* to_string(Framing framing);

// A file, or a name in configs/clusters. Throws InputError.
ArrayConfig load_array(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                       const config::Library& library);

// What such a file holds, or changes of it.
ArrayConfig read_array(const config::Node& file, const config::Library& library);

// One self-contained YAML file.
std::string resolved_yaml(const ArrayConfig& config);

// "features: unpooled, cuts: inner, partition: better, lanes: 6, lane_gbps: 10, framing: none".
std::string reading_text(const NamedReading& reading);
// "gradients: own, lag: pixels, weight_fetch: image".
std::string storage_text(const fpdeep::StorageReading& reading);

}  // namespace weft::cluster
