#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/core/frequency.h"
#include "model/nada/planner.h"
#include "platform/config/board.h"
#include "platform/config/compose.h"
#include "platform/studies/cluster/figures.h"
#include "platform/studies/cluster/results.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {

// Row of boards that train one network together, from a checked file of configs/clusters. The other keys of the file
// depend on the design.
class Cluster {
 public:
  virtual ~Cluster() = default;

  std::string name, title, network;
  config::Board board;             // each board, or the first of `row`
  std::vector<config::Board> row;  // boards that are not all alike, in their order; empty: all are `board`
  int boards = 1;
  Rational clock_mhz = 200;
  std::vector<std::string> assumed;  // dotted keys whose figures are assumptions

  virtual const char* design() const = 0;
  // Configuration as one self-contained YAML file.
  virtual std::string resolved_yaml() const = 0;
  // Description for the user: a label and a text per line.
  virtual std::vector<std::pair<const char*, std::string>> lines() const = 0;

  using Plan = std::variant<NadaResult, ArrayResult>;
  // Throws Error that names the requirement which the network does not meet.
  virtual Plan plan(const workloads::ImportedGraph& graph, const nada::Progress& progress) const = 0;
  // Returns nothing for a design without timelines.
  virtual std::optional<BatchResult> timeline(const workloads::ImportedGraph&, const nada::Progress&) const {
    return std::nullopt;
  }
  virtual Figures figures(const workloads::ImportedGraph& graph) const = 0;

  ResultHead head() const;
  const config::Board& board_at(std::size_t i) const { return row.empty() ? board : row[i]; }
};

// Reads a file, or a name in configs/clusters, and applies the overrides. Throws InputError.
config::Node cluster_file(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                          const config::Library& library);
// Reads a cluster of any design. Throws InputError.
std::unique_ptr<Cluster> read_cluster(const config::Node& file, const config::Library& library);

// Loads the network by name, or from an ONNX file. Throws Error.
workloads::ImportedGraph network_of(const Cluster& cluster, const config::Library& library);

}  // namespace weft::cluster
