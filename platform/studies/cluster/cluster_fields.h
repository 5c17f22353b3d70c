#pragma once

#include <optional>
#include <vector>

#include "platform/config/reader.h"
#include "platform/studies/cluster/cluster.h"

// Fields common to the cluster files of all designs.
namespace weft::cluster {

inline constexpr int kMostBoards = 1000;

inline void cluster_fields(config::MapIo& io, Cluster& cluster) {
  io.text("name", cluster.name);
  io.text("title", cluster.title);
  io.text("network", cluster.network, config::Need::Required);
  io.integer("boards", cluster.boards, 1, kMostBoards, config::Need::Required);
}

// `board`: a name or a map.
void board_field(config::MapIo& io, Cluster& cluster, const config::Library& library);

// YAML of a file: the keys in `writer`, and the board.
std::string yaml_of(config::MapWriter& writer, const config::Board& board);

}  // namespace weft::cluster
