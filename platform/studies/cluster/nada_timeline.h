#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/pipeline/batch.h"
#include "platform/studies/cluster/nada_plan.h"

namespace weft::cluster {

// What waits from F for GW of a layer.
struct StoreUse {
  std::string name;
  std::int64_t pixels = 0;  // at most, with those on their way
  Words words = 0;
  double images = 0;  // as many as that is
};

struct LinkUse {
  double bits_per_s = 0;  // a direction, in the steady state
  double part = 0;        // of what its frames can carry
};

// A plan in the time of a training: batches of images that fill and drain the pipeline, each followed by the update.
struct NadaTimeline {
  NadaPlan plan;
  pipeline::BatchTimes batch;                                 // of the file's batch
  std::vector<std::pair<std::int64_t, double>> efficiencies;  // of batches of 1, 2, 4, ... images
  std::vector<StoreUse> stores;
  std::vector<LinkUse> links;
  double images_per_s = 0;  // updates included
  double epoch_hours = 0;
};

NadaTimeline nada_timeline(const NadaConfig& config, const workloads::ImportedGraph& network,
                           const nada::Progress& progress = {});

}  // namespace weft::cluster
