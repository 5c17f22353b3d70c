#pragma once

#include <vector>

#include "model/core/frequency.h"
#include "model/nada/planner.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/training.h"
#include "platform/studies/cluster/nada_config.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {

// Simulation of the planned entities, links and DRAM ports as a pipeline, with FIFOs as deep as the rate needs.
struct SimulatedPlan {
  Rational period = 0;                    // mean cycles per image
  std::string slowest;                    // name of its block with the most cycles per image
  double resent_frames = 0;               // per image, over all links
  Cycles latency = 0;                     // from the first pixel of the first image to its last gradient
  Words store_words = 0, fifo_words = 0;  // in stores between F and GW, and in all other FIFOs
};

struct NadaPlan {
  nada::Problem problem;
  nada::Plan plan;
  SimulatedPlan simulated;
  std::vector<std::int64_t> fifo_blocks;  // least block RAMs of the FIFOs on each board of the plan
  Cycles period_beside = 0;               // period of the first plan, which reserves no room for FIFOs
  pipeline::Training training;            // planned entities, links and DRAM ports with FIFOs of these depths
  Cycles update = 0;                      // update of the largest layer's weights, one word per cycle

  double images_per_second(const Rational& period) const;
};

// Entities and tensors of a network, on the file's boards. Throws Error for an operator without an entity.
nada::Problem nada_problem(const NadaConfig& config, const workloads::ImportedGraph& network);

// Plans and sizes FIFOs. If the file counts FIFOs towards the usable resources, plans again with room for them on the
// boards that lack it, until they fit.
NadaPlan plan_nada(const NadaConfig& config, const workloads::ImportedGraph& network,
                   const nada::Progress& progress = {});

// Batch size B at which filling, draining and updating reduce a pipeline to `efficiency` of its rate:
//   efficiency = B * period / ((B - 1) * period + latency + update).
double implied_batch(double efficiency, double period, double latency, double update);

// Timeline of training with a plan: batches that fill and drain the pipeline, each followed by the weight update.
struct NadaTimeline {
  NadaPlan plan;
  pipeline::BatchTimes batch;  // of the batch size in the file
  BatchResult result;
};

NadaTimeline nada_timeline(const NadaConfig& config, const workloads::ImportedGraph& network,
                           const nada::Progress& progress = {});

}  // namespace weft::cluster
