#include "platform/studies/cluster/cluster.h"

#include <fmt/core.h>

#include "platform/config/run_config.h"
#include "platform/studies/cluster/array_config.h"
#include "platform/studies/cluster/cluster_fields.h"
#include "platform/studies/cluster/nada_config.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {

using config::FileKind;
using config::Library;
using config::Node;

ResultHead Cluster::head() const {
  std::vector<std::string> names;
  for (const config::Board& each : row) names.push_back(each.name);
  return {record::weft_version(),
          name,
          design(),
          network,
          row.empty() ? board.name : config::join(names),
          boards,
          boost::rational_cast<double>(clock_mhz)};
}

Node cluster_file(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                  const Library& library) {
  const auto path = config::locate(FileKind::Cluster, name_or_path, library);
  return config::apply(config::load_file(FileKind::Cluster, path, library), FileKind::Cluster, overrides, library);
}

std::unique_ptr<Cluster> read_cluster(const Node& file, const Library& library) {
  if (file.find("nada")) return std::make_unique<NadaConfig>(read_nada(file, library));
  return std::make_unique<ArrayConfig>(read_array(file, library));
}

workloads::ImportedGraph network_of(const Cluster& cluster, const Library& library) {
  const std::vector<std::string> folders{(library.configs / "networks").string()};
  library.note(workloads::network_file(cluster.network, folders));
  return workloads::find_graph(cluster.network, folders);
}

namespace {

config::Board read_named_board(const Node& node, const std::string& key, const Library& library) {
  if (node.kind == Node::Kind::Map) return config::read_board(node, key);
  const auto named = config::find_file(FileKind::Board, config::read_text(node, key), node.place, key, library);
  return config::load_board(named.string(), {}, library);
}

// A number, or a list of boards: not empty, and with blocks of memory of one kind, which plans count together.
void read_boards(const Node& node, const std::string& key, Cluster& cluster, const Library& library, bool mixed) {
  if (!mixed || node.kind != Node::Kind::List || node.children.empty() || node.children.size() > kMostBoards) {
    cluster.boards = static_cast<int>(config::read_integer(node, key, 1, kMostBoards));
    return;
  }
  for (const Node& each : node.children) {
    const config::Board& next = cluster.row.emplace_back(read_named_board(each, key, library));
    if (next.block_ram_kind == cluster.row.front().block_ram_kind) continue;
    throw config::error_at(
        each.place, key,
        fmt::format("'{}' and '{}' have blocks of memory of different kinds (bram36, m20k); allowed: "
                    "boards whose blocks are of one kind",
                    cluster.row.front().name, next.name));
  }
  cluster.boards = static_cast<int>(cluster.row.size());
  cluster.board = cluster.row.front();
}

}  // namespace

void cluster_fields(config::MapIo& io, Cluster& cluster, const Library& library, bool mixed) {
  using config::Need;
  io.text("name", cluster.name);
  io.text("title", cluster.title);
  io.text("network", cluster.network, Need::Required);
  io.custom(
      "board", Need::Required,
      [&](const Node& node, const std::string& key) { cluster.board = read_named_board(node, key, library); }, nullptr,
      [] { return config::schema::file("board"); });
  io.custom(
      "boards", Need::Required,
      [&](const Node& node, const std::string& key) { read_boards(node, key, cluster, library, mixed); },
      [&] {
        if (cluster.row.empty()) return config::scalar_node(std::to_string(cluster.boards));
        Node list = config::list_node();
        for (const config::Board& each : cluster.row) list.children.push_back(config::write_board(each));
        return list;
      },
      [] {
        using namespace config::schema;
        return any_of({integer(1, kMostBoards), list_of(file("board"))});
      });
}

std::string yaml_of(config::MapWriter& writer, const config::Board& board) {
  Node node = writer.take();
  node.set("board", config::write_board(board));
  return config::to_yaml(node);
}

}  // namespace weft::cluster
