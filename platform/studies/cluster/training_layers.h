#pragma once

#include <vector>

#include "model/pipeline/training.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {

// Layers of an imported network that have entities, sum or pool. Assumption: operators that only change values
// (activations, normalisation, bias, dropout, views) belong to the entity before them. Where an image of several pixels
// becomes one vector, a layer that takes the whole image is inserted. An entity takes as many cycles per pixel as
// `period` cycles per image allow, at least one; sums and pools of whole images take one. Throws Error that names the
// first operator without such a layer.
std::vector<pipeline::TrainingLayer> training_layers(const workloads::ImportedGraph& network, Cycles period);

}  // namespace weft::cluster
