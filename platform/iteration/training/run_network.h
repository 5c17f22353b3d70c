#pragma once

#include "platform/config/run_config.h"
#include "platform/iteration/training/trained_network.h"
#include "workloads/network.h"

namespace weft::training {

// The network of a run, with its batch and, if it asks for them, its fully connected layers as convolutions. Throws
// InputError at the key that names it if nobody knows it, or if it has no convolution.
workloads::Network load_network(const config::RunConfig& run, const config::Library& library);

// The same as it is trained, with its forward graph: of a run whose network is named or an ONNX file.
training::TrainedNetwork load_trained(const config::RunConfig& run, const config::Library& library);

// A network by its name or ONNX file, for batch 1.
workloads::Network load_network(const std::string& name_or_path, const config::Library& library);

}  // namespace weft::training
