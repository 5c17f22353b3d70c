#include "tools/bench/pipeline.h"

#include <string>

#include "model/pipeline/exact.h"
#include "model/pipeline/pipeline_module.h"
#include "model/pipeline/training.h"
#include "platform/studies/cluster/training_layers.h"
#include "tools/bench/rate.h"
#include "workloads/catalogue.h"

namespace weft::tools {
namespace {

pipeline::Training network(const std::string& name, Cycles period) {
  const workloads::ImportedGraph graph = workloads::find_graph(name, {std::string(WEFT_CONFIG_DIR) + "/networks"});
  return pipeline::training(cluster::training_layers(graph, period), period);
}

double events(const pipeline::Pipeline& pipeline, std::int64_t images) {
  std::int64_t steps = 0;
  for (const pipeline::Block& block : pipeline.blocks) {
    for (const pipeline::Steps& each : block.image) steps += each.count;
  }
  return 2 * static_cast<double>(steps * images);
}

}  // namespace

PipelineCosts pipeline_costs() {
  constexpr Cycles kPeriod = 193'987, kSmallPeriod = 20'000;
  PipelineCosts costs;
  const Cost thousand = median_cost([&] {
    pipeline::Training net = network("mobilenet_v2", kPeriod);
    pipeline::size_fifos(net);
    pipeline::simulate(net.pipeline, 1000);
  });
  costs.thousand_images_seconds = thousand.processor_seconds;
  costs.peak_bytes = thousand.peak_bytes;

  constexpr std::int64_t kImages = 20, kSmallImages = 4;
  pipeline::Training net = network("mobilenet_v2", kPeriod);
  pipeline::size_fifos(net);
  pipeline::SimulateOptions every;
  every.jump = false;
  costs.exact_events_per_s = events(net.pipeline, kImages) /
                             median_cost([&] { pipeline::simulate(net.pipeline, kImages, every); }).processor_seconds;

  pipeline::Training small = network("alexnet_cifar10", kSmallPeriod);
  pipeline::size_fifos(small);
  const Cost stepped = median_cost([&] {
    pipeline::PipelineModule module("pipeline", small.pipeline, kSmallImages);
    while (!module.done()) sc_core::sc_start(static_cast<double>(kSmallPeriod), sc_core::SC_NS);
    module.check();
  });
  costs.systemc_events_per_s = events(small.pipeline, kSmallImages) / stepped.processor_seconds;
  return costs;
}

}  // namespace weft::tools
