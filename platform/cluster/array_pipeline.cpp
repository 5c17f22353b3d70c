#include "platform/cluster/array_pipeline.h"

#include <algorithm>

#include "platform/cluster/training_layers.h"

namespace weft::cluster {

pipeline::Training array_pipeline(const ArrayPlan& plan, const workloads::ImportedGraph& network) {
  using pipeline::TrainingLayer;
  std::vector<TrainingLayer> layers = training_layers(network, 1);
  const auto first_whole = std::find_if(layers.begin(), layers.end(), [](const TrainingLayer& layer) {
    return layer.kind == TrainingLayer::Kind::Whole;
  });
  layers.erase(first_whole, layers.end());
  std::size_t convolution = 0;
  for (TrainingLayer& layer : layers) {
    if (layer.gw == 0) continue;
    Cycles slowest = 1;
    for (const fpdeep::BoardWork& board : plan.boards) {
      for (const fpdeep::Part& part : board.parts) {
        if (part.layer == convolution) slowest = std::max(slowest, part.cycles_a_pixel);
      }
    }
    layer.f = layer.gi = layer.gw = slowest;
    ++convolution;
  }
  return pipeline::training(layers);
}

}  // namespace weft::cluster
