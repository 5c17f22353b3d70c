#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/run_config.h"
#include "workloads/graph/graph.h"
#include "workloads/graph/restoration.h"
#include "workloads/network.h"
#include "workloads/onnx/import.h"

namespace weft::training {

// Path of the file that describes operators lost by export: NAME.training.yaml next to NAME.onnx.
std::filesystem::path restoration_path(const std::filesystem::path& onnx);

// Reads such a file. Throws InputError (file, line, key) for unknown keys, missing keys and values out of range.
// workloads::restore() checks its names against the network and reports errors at the places noted here.
config::Node describe_restoration();  // JSON Schema of the file
workloads::Restoration read_restoration(const std::filesystem::path& path);

// A network as it is trained.
struct TrainedNetwork {
  workloads::Network network;
  workloads::Graph forward;  // with operators lost by export restored; for workloads::training_graph()
  std::optional<workloads::Restoration> restoration;  // nothing: no such file
  std::vector<std::string> notes;                     // for users: assumptions, omissions, possibly folded operators
};

// Loads a network by name or path, as workloads::find_graph() does, restored by the .training.yaml next to its file.
// Throws Error.
TrainedNetwork load_trained(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                            const workloads::ImportOptions& options = {});

// Loads the network of a run with its batch and, if `lower_fc` is set, its fully connected layers as convolutions.
// Throws InputError at the key that names it if it does not exist or has no convolution.
workloads::Network load_network(const config::RunConfig& run, const config::Library& library);

// Loads the network as trained, with its forward graph; the run must name a network or an ONNX file.
training::TrainedNetwork load_trained(const config::RunConfig& run, const config::Library& library);

// Multiply-accumulates of an image, forward: of convolutions, and of fully connected layers and matrix products; and
// trained parameters.
struct NetworkSize {
  std::int64_t macs = 0, products = 0, parameters = 0;
};
NetworkSize size_of(const TrainedNetwork& trained);

// Loads a network by name, ONNX file or topology (.csv), for batch 1; a topology has no graph.
TrainedNetwork load_named(const std::string& name_or_path, const config::Library& library);

}  // namespace weft::training
