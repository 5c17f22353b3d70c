#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/fpdeep/assignment.h"
#include "model/fpdeep/storage.h"
#include "model/pipeline/training.h"
#include "platform/studies/cluster/array_config.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {

// Scaling of the array under one reading of its links.
struct Scaling {
  NamedReading reading;
  int linear_boards = 0;                  // largest number of boards with linear scaling, at most scaling_to
  std::optional<fpdeep::Cut> busiest;     // with the file's number of boards
  double busiest_bits_per_s = 0;          // traffic of that link at the rate of the boards
  std::vector<double> images_per_second;  // on 1, 2, ... scaling_to boards
};

struct ArrayPlan {
  fpdeep::Chain chain;
  std::vector<fpdeep::BoardWork> boards;
  std::vector<fpdeep::Storage> stored;
  fpdeep::Balanced storage;       // of all stored data
  fpdeep::Balanced weights_only;  // weights only
  double fetch_bits_per_s = 0;    // highest fetch rate of a board for weights_only, at the array's total rate
  std::vector<Scaling> scalings;

  // Rate with the assigned whole filters and DSPs.
  double images_per_second(const ArrayConfig& config) const;
};

// Convolutions of a network, with pools, sums and concatenations, up to the first layer that reads a whole image.
// Throws Error that names the operator if a convolution follows that layer, if an output has no reader, or if an
// operator has no place in a pipeline.
fpdeep::Chain array_chain(const workloads::ImportedGraph& network, bool gi_first);

ArrayPlan plan_array(const ArrayConfig& config, const workloads::ImportedGraph& network);

// FPDeep's array as a pipeline: F, GI and GW of each part of a convolution, on its board, with the cycles per pixel of
// the part, and the links between boards. The last part of a convolution joins the outputs of all. Sums and
// concatenations are on the board of their latest input, pools on the boards that read them (features: unpooled), or on
// the board that writes (pooled). A tensor crosses each link up to its last reader once (pipeline::Boards). As in the
// equations, convolutions only: the loss takes the place of the first layer that reads a whole image.
pipeline::Training array_pipeline(const ArrayConfig& config, const ArrayPlan& plan,
                                  const workloads::ImportedGraph& network);

// Simulation of the pipeline with FIFOs as deep as its rate needs.
struct SimulatedArray {
  Rational period = 0;  // mean cycles per image in the steady state
  std::string slowest;  // name of the block with the most cycles per image
  Cycles latency = 0;   // from the first pixel of the first image to its last gradient
};
SimulatedArray simulate_array(const ArrayConfig& config, const ArrayPlan& plan,
                              const workloads::ImportedGraph& network);

}  // namespace weft::cluster
