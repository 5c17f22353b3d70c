#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/conv/convolution.h"

namespace weft::workloads {

// A fully connected layer: `rows` input vectors an image (1, except over sequences) times a constant matrix.
struct FullyConnected {
  std::string name;
  std::int64_t rows = 1;
  std::int64_t in_features = 1;
  std::int64_t out_features = 1;
  bool from_graph_input = false;
};

// An operator that the host computes. `shape` and `elements` are those of its first output for one image (where the
// first dimension is the batch, it is 1); both are empty when the shape cannot be inferred.
struct HostLayer {
  std::string op;
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;
};

// A network as the simulator sees it; every list is in forward order.
struct Network {
  std::string name;
  int batch = 1;
  std::vector<conv::Layer> layers;              // the convolutions, each with its batch set
  std::vector<FullyConnected> fully_connected;  // always listed, whoever computes them
  std::vector<conv::Layer> fc_layers;           // the same as 1x1 convolutions; empty unless they were asked for
  std::vector<HostLayer> host_layers;           // the fully connected ones too, unless they are in fc_layers
};

// `fc` as a 1x1 convolution over 1x1 maps, `batch` images of `rows` vectors each. Throws Error if it does not fit.
conv::Layer as_convolution(const FullyConnected& fc, int batch);

// Multiply-accumulates of one pass over the layer's whole batch, all groups; equal for F, GI and GW.
std::int64_t macs(const conv::Layer& layer);

struct TrainingConvolution {
  std::size_t layer = 0;  // index into the layers
  conv::Kind kind = conv::Kind::F;
};

// What training runs: F, GI and GW of every layer, in layer order; no GI for a layer that reads the graph's input
// unless `gi_first`.
std::vector<TrainingConvolution> training_convolutions(const std::vector<conv::Layer>& layers, bool gi_first = false);

}  // namespace weft::workloads
