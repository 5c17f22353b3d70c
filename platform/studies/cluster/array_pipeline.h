#pragma once

#include "model/pipeline/training.h"
#include "platform/studies/cluster/array_plan.h"

namespace weft::cluster {

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
