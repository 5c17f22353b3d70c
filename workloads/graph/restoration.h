#pragma once

#include <string>
#include <vector>

#include "workloads/graph/graph.h"

namespace weft::workloads {

struct LayerName {
  std::string name;
  SourceLine place;
};

// Which layers are meant: all convolutions, or those that are named.
struct LayerChoice {
  bool all = false;
  std::vector<LayerName> names;
  SourceLine place;
};

struct RestoredBatchNorm {
  LayerChoice after;  // convolutions; each loses its bias
  double epsilon = 1e-5;
  double momentum = 0.1;
  std::string source;
};

struct RestoredDropout {
  LayerName before;  // an operator: a layer, or a host layer by its ONNX name
  double ratio = 0.5;
  std::string source;
};

// What export took from a network that it has in training.
struct Restoration {
  std::string source;  // of what the network is
  std::vector<RestoredBatchNorm> batch_norms;
  std::vector<RestoredDropout> dropouts;
  std::vector<LayerChoice> without_bias;  // convolutions and fully connected layers
  std::vector<std::string> left_out;      // of the original, that the file has not either: for the reader
  std::vector<std::string> assumed;       // what no source says
};

// The graph with everything restored. Throws InputError at the place of what does not fit: a name that the graph has
// not, a second normalisation of a layer.
Graph restore(const Graph& forward, const Restoration& restoration);

}  // namespace weft::workloads
