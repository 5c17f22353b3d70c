#pragma once

#include <string>
#include <vector>

#include "workloads/graph/graph.h"

namespace weft::workloads {

struct LayerName {
  std::string name;
  SourceLine place;
};

// Chosen layers: all convolutions, or the named ones.
struct LayerChoice {
  bool all = false;
  std::vector<LayerName> names;
  SourceLine place;
};

struct RestoredBatchNorm {
  LayerChoice after;  // convolutions; their biases are removed
  double epsilon = 1e-5;
  double momentum = 0.1;
  std::string source;
};

struct RestoredDropout {
  LayerName before;  // operator: a layer, or a host layer by its ONNX name
  double ratio = 0.5;
  std::string source;
};

// Parts of a network in training that its export removed.
struct Restoration {
  std::string source;  // source of the network's structure
  std::vector<RestoredBatchNorm> batch_norms;
  std::vector<RestoredDropout> dropouts;
  std::vector<LayerChoice> without_bias;  // convolutions and fully connected layers
  std::vector<std::string> left_out;      // parts of the original still missing, for the reader
  std::vector<std::string> assumed;       // values without a source
};

// Returns the graph with everything restored. Throws InputError at the place of an invalid entry: an unknown name, a
// second normalisation of a layer.
Graph restore(const Graph& forward, const Restoration& restoration);

}  // namespace weft::workloads
