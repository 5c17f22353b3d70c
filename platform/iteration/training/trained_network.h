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

// Where what was taken from a network's file is said: NAME.training.yaml beside NAME.onnx.
std::filesystem::path restoration_path(const std::filesystem::path& onnx);

// Reads such a file. Throws InputError (file, line, key) for unknown keys, what is missing and values out of range;
// whether its names fit the network is for workloads::restore() to say, at the places it notes.
workloads::Restoration read_restoration(const std::filesystem::path& path);

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

// The network of a run, with its batch and, if it asks for them, its fully connected layers as convolutions. Throws
// InputError at the key that names it if nobody knows it, or if it has no convolution.
workloads::Network load_network(const config::RunConfig& run, const config::Library& library);

// The same as it is trained, with its forward graph: of a run whose network is named or an ONNX file.
training::TrainedNetwork load_trained(const config::RunConfig& run, const config::Library& library);

// A network by its name or ONNX file, for batch 1.
workloads::Network load_network(const std::string& name_or_path, const config::Library& library);

}  // namespace weft::training
