#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/graph/graph.h"
#include "workloads/graph/restoration.h"
#include "workloads/network.h"
#include "workloads/onnx/import.h"

namespace weft::training {

// A network as it is trained.
struct TrainedNetwork {
  workloads::Network network;
  workloads::Graph forward;  // with what export took from it restored; for workloads::training_graph()
  std::optional<workloads::Restoration> restoration;  // nothing: there is no file that says what it was
  std::vector<std::string> notes;  // what a user should know of it: what is assumed, left out or may have been folded
};

// By name or path, as workloads::find_graph() has it, restored as the .training.yaml beside its file says. Throws
// Error.
TrainedNetwork load_trained(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                            const workloads::ImportOptions& options = {});

}  // namespace weft::training
