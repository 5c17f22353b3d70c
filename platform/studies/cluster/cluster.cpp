#include "platform/studies/cluster/cluster.h"

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
  return {record::weft_version(), name, design(), network, board.name, boards, boost::rational_cast<double>(clock_mhz)};
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

void board_field(config::MapIo& io, Cluster& cluster, const Library& library) {
  io.custom(
      "board", config::Need::Required,
      [&](const Node& node, const std::string& key) {
        if (node.kind == Node::Kind::Map) {
          cluster.board = config::read_board(node, key);
          return;
        }
        const auto named = config::find_file(FileKind::Board, config::read_text(node, key), node.place, key, library);
        cluster.board = config::load_board(named.string(), {}, library);
      },
      nullptr, [] { return config::schema::file("board"); });
}

std::string yaml_of(config::MapWriter& writer, const config::Board& board) {
  Node node = writer.take();
  node.set("board", config::write_board(board));
  return config::to_yaml(node);
}

}  // namespace weft::cluster
