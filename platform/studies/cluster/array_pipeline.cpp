#include "platform/studies/cluster/array_pipeline.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "model/pipeline/exact.h"
#include "platform/studies/cluster/training_layers.h"

namespace weft::cluster {

namespace {

constexpr std::int64_t kImagesOfArray = 100;  // within which an array repeats

}  // namespace

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

SimulatedArray simulate_array(const ArrayPlan& plan, const workloads::ImportedGraph& network) {
  pipeline::Training array = array_pipeline(plan, network);
  pipeline::size_fifos(array);
  const pipeline::Simulated simulated = pipeline::simulate(array.pipeline, kImagesOfArray);
  if (!simulated.recurrence) throw Error(fmt::format("the array does not repeat within {} images", kImagesOfArray));
  return {simulated.recurrence->period(), simulated.ends.front()};
}

}  // namespace weft::cluster
