#pragma once

#include <optional>
#include <vector>

#include "model/fpdeep/assignment.h"
#include "model/fpdeep/storage.h"
#include "model/pipeline/training.h"
#include "platform/studies/cluster/array_config.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {

// How far the array scales under one reading of its links.
struct Scaling {
  NamedReading reading;
  int linear_boards = 0;               // at most scaling_to
  std::optional<fpdeep::Cut> busiest;  // with the boards of the file
  double busiest_bits_per_s = 0;       // over that link, while every board computes at its rate
  std::vector<double> images_per_s;    // of 1, 2, ... scaling_to boards
};

struct ArrayPlan {
  fpdeep::Chain chain;
  double images_per_s_per_board = 0;  // as the file has it, or of its GOPS
  std::vector<fpdeep::BoardWork> boards;
  std::vector<fpdeep::Storage> stored;
  fpdeep::Balanced storage;       // of all that is stored
  fpdeep::Balanced weights_only;  // of the weights alone
  double fetch_bits_per_s = 0;    // of the excess of weights alone, on the array's whole rate
  std::vector<Scaling> scalings;

  // Of the whole filters and DSPs that are assigned.
  double images_per_s(const ArrayConfig& config) const;
};

// The convolutions of a network, if they are a chain: each operator reads one activation and each activation is read
// once. Throws Error that names the operator which is not so.
fpdeep::Chain array_chain(const workloads::ImportedGraph& network, bool gi_first);

ArrayPlan plan_array(const ArrayConfig& config, const workloads::ImportedGraph& network);

// FPDeep's array as a pipeline: F, GI and GW of each convolution with the cycles a pixel of the slowest of its parts,
// and the pools between them; links take no time. The convolutions only, as the equations have it: the loss stands
// where the first layer reads a whole image. Assumed: all parts of a layer work on the same pixel.
pipeline::Training array_pipeline(const ArrayPlan& plan, const workloads::ImportedGraph& network);

// It simulated, with FIFOs as deep as its rate needs.
struct SimulatedArray {
  Rational period = 0;  // mean cycles an image in the steady state
  Cycles latency = 0;   // from the first pixel of the first image to its last gradient
};
SimulatedArray simulate_array(const ArrayPlan& plan, const workloads::ImportedGraph& network);

}  // namespace weft::cluster
