#pragma once

#include <vector>

#include "model/pipeline/training.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {

// The layers of an imported network that have entities, or sum or pool: what only changes numbers on their way
// (activations, normalisation, bias, dropout, views) is part of the entity before it, an assumption. Where an image of
// several pixels becomes one vector, a layer that takes the whole image stands for it.
// Every entity takes as many cycles a pixel as `period` cycles an image allow, and at least one; sums and pools of
// whole images take one. Throws Error that names the first operator that has no such layer.
std::vector<pipeline::TrainingLayer> training_layers(const workloads::ImportedGraph& network, Cycles period);

}  // namespace weft::cluster
