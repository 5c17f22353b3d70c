#pragma once

#include <vector>

#include "model/core/frequency.h"
#include "model/nada/planner.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/training.h"
#include "platform/studies/cluster/nada_config.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {

// The planned entities as a pipeline, simulated: FIFOs as deep as the rate needs.
struct SimulatedPlan {
  Rational period = 0;     // mean cycles an image in the steady state
  Cycles latency = 0;      // from the first pixel of the first image to its last gradient
  pipeline::Depths words;  // of FIFOs between F and GW, and of all others
};

struct NadaPlan {
  nada::Problem problem;
  nada::Plan plan;
  SimulatedPlan simulated;
  std::vector<std::int64_t> fifo_blocks;  // of memory, that the FIFOs of each of the plan's boards take at least
  Cycles period_beside = 0;               // of the first plan, for whose FIFOs no room was kept
  pipeline::Training training;            // of the planned entities, its FIFOs that deep
  Cycles update = 0;                      // of the largest layer's weights, a word a cycle

  double images_per_s(const Rational& period) const;
};

// The entities and tensors of a network, on the boards of the file. Throws Error for an operator without entity.
nada::Problem nada_problem(const NadaConfig& config, const workloads::ImportedGraph& network);

// Plans, sizes FIFOs and, if the file says that these are within what boards may use, plans again with room for them
// on each board that has too little, until they fit.
NadaPlan plan_nada(const NadaConfig& config, const workloads::ImportedGraph& network,
                   const nada::Progress& progress = {});

// Images of a batch at which what fills, drains and updates a pipeline takes `efficiency` from its rate:
//   efficiency = B * period / ((B - 1) * period + latency + update).
double implied_batch(double efficiency, double period, double latency, double update);

// A plan in the time of a training: batches of images that fill and drain the pipeline, each followed by the update.
struct NadaTimeline {
  NadaPlan plan;
  pipeline::BatchTimes batch;  // of the file's batch
  BatchResult result;
};

NadaTimeline nada_timeline(const NadaConfig& config, const workloads::ImportedGraph& network,
                           const nada::Progress& progress = {});

}  // namespace weft::cluster
