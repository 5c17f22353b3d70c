#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/conv/convolution.h"

namespace weft::workloads {

// Fully connected layer: `rows` input vectors per image (1, except for sequences) times a constant matrix.
struct FullyConnected {
  std::string name;
  std::int64_t rows = 1;
  std::int64_t in_features = 1;
  std::int64_t out_features = 1;
  bool from_graph_input = false;
};

// Operator computed by the host. `shape` and `elements` describe its first output for one image (a leading batch
// dimension is 1); empty if the shape cannot be inferred.
struct HostLayer {
  std::string op;
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;
};

// Network as simulated; all lists are in forward order.
struct Network {
  std::string name;
  int batch = 1;
  std::vector<conv::Layer> layers;              // convolutions, batch set
  std::vector<FullyConnected> fully_connected;  // complete, wherever they are computed
  std::vector<conv::Layer> fc_layers;           // fully_connected and matrix products as 1x1 convolutions, if requested
  std::vector<HostLayer> host_layers;           // includes fully connected layers that are not in fc_layers
  std::vector<std::string> warnings;            // of the import, with the file
};

// `fc` as a 1x1 convolution over 1x1 maps, `batch` images of `rows` vectors each. Throws Error if it exceeds limits.
conv::Layer as_convolution(const FullyConnected& fc, int batch);

// Multiply-accumulates of one pass over the layer's whole batch, all groups; equal for F, GI and GW.
std::int64_t macs(const conv::Layer& layer);

struct TrainingConvolution {
  std::size_t layer = 0;  // index into the layers
  conv::Kind kind = conv::Kind::F;
};

// Convolutions of training: F, GI and GW of every layer, in layer order; no GI for a layer that reads the graph's input
// unless `gi_first`.
std::vector<TrainingConvolution> training_convolutions(const std::vector<conv::Layer>& layers, bool gi_first = false);

}  // namespace weft::workloads
