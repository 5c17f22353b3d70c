#pragma once

#include "model/pipeline/batch.h"
#include "platform/studies/cluster/nada_plan.h"

namespace weft::cluster {

// A plan in the time of a training: batches of images that fill and drain the pipeline, each followed by the update.
struct NadaTimeline {
  NadaPlan plan;
  pipeline::BatchTimes batch;  // of the file's batch
  BatchResult result;
};

NadaTimeline nada_timeline(const NadaConfig& config, const workloads::ImportedGraph& network,
                           const nada::Progress& progress = {});

}  // namespace weft::cluster
