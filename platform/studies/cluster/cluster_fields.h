#pragma once

#include <optional>
#include <vector>

#include "platform/config/reader.h"
#include "platform/studies/cluster/cluster.h"

// Fields common to the cluster files of all designs.
namespace weft::cluster {

inline constexpr int kMostBoards = 1000;

template <class Io>
void cluster_fields(Io& io, Cluster& cluster) {
  io.text("name", cluster.name);
  io.text("title", cluster.title);
  io.text("network", cluster.network, config::Need::Required);
  io.integer("boards", cluster.boards, 1, kMostBoards, config::Need::Required);
}

// Visits a list of maps, each with `fields`.
template <class Io, class T, class Fields>
void map_list(Io& io, const char* key, std::vector<T>& list, config::Need need, Fields fields) {
  io.custom(
      key, need,
      [&](const config::Node& node, const std::string& path) {
        list.clear();
        for (const config::Node& entry : config::expect_list(node, path).children) {
          config::MapReader reader(entry, path);
          fields(reader, list.emplace_back());
          reader.finish();
        }
      },
      [&]() -> std::optional<config::Node> {
        if (list.empty()) return std::nullopt;
        config::Node nodes = config::list_node();
        for (T& each : list) {
          config::MapWriter writer;
          fields(writer, each);
          nodes.children.push_back(writer.take());
        }
        return nodes;
      });
}

// Reads the board, a name or a map.
void read_board(config::MapReader& reader, Cluster& cluster, const config::Library& library);

// YAML of a file: the keys in `writer`, and the board.
std::string yaml_of(config::MapWriter& writer, const config::Board& board);

}  // namespace weft::cluster
