#pragma once

#include <optional>
#include <vector>

#include "platform/config/reader.h"
#include "platform/studies/cluster/cluster.h"

// Fields common to the cluster files of all designs.
namespace weft::cluster {

inline constexpr int kMostBoards = 1000;

// `board` and each of `boards`: a name or a map. Boards of several kinds are read for `mixed` clusters only.
void cluster_fields(config::MapIo& io, Cluster& cluster, const config::Library& library, bool mixed);

// YAML of a file: the keys in `writer`, and `board`.
std::string yaml_of(config::MapWriter& writer, const config::Board& board);

}  // namespace weft::cluster
