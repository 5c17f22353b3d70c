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

// Boards in a row that train a network together: a file of configs/clusters, checked. Which design it is decides what
// else the file holds.
class Cluster {
 public:
  virtual ~Cluster() = default;

  std::string name, title, network;
  config::Board board;
  int boards = 1;
  Rational clock_mhz = 200;
  std::vector<std::string> assumed;  // dotted keys whose figures are assumptions

  virtual const char* design() const = 0;
  // One self-contained YAML file.
  virtual std::string resolved_yaml() const = 0;
  // For people, a label and a text a line.
  virtual std::vector<std::pair<const char*, std::string>> lines() const = 0;

  using Plan = std::variant<NadaResult, ArrayResult>;
  // Throws Error that says what a network lacks which fits no plan.
  virtual Plan plan(const workloads::ImportedGraph& graph, const nada::Progress& progress) const = 0;
  // Nothing of a design whose plans have no timeline.
  virtual std::optional<BatchResult> timeline(const workloads::ImportedGraph&, const nada::Progress&) const {
    return std::nullopt;
  }
  virtual Figures figures(const workloads::ImportedGraph& graph) const = 0;

  ResultHead head() const;
};

// A file, or a name in configs/clusters, with the overrides applied. Throws InputError.
config::Node cluster_file(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                          const config::Library& library);
// Throws InputError.
std::unique_ptr<Cluster> read_cluster(const config::Node& file, const config::Library& library);

// A network by its name, or an ONNX file. Throws Error.
workloads::ImportedGraph network_of(const Cluster& cluster, const config::Library& library);

}  // namespace weft::cluster
