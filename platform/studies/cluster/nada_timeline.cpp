#include "platform/studies/cluster/nada_timeline.h"

#include <algorithm>
#include <utility>

#include "model/pipeline/exact.h"

namespace weft::cluster {

namespace {

constexpr std::int64_t kMostBatch = 1024;     // of the batches whose efficiency is told
constexpr std::int64_t kSteadyImages = 1000;  // within which a pipeline repeats
constexpr double kSecondsPerHour = 3600;

std::vector<pipeline::Updater> updaters(const NadaConfig& config, const nada::Problem& problem) {
  std::vector<pipeline::Updater> all;
  for (const nada::Entity& entity : problem.entities) {
    if (entity.passes > 0) all.push_back({entity.name, entity.weights(), config.update_words_per_cycle});
  }
  return all;
}

}  // namespace

NadaTimeline nada_timeline(const NadaConfig& config, const workloads::ImportedGraph& network,
                           const nada::Progress& progress) {
  NadaPlan plan = plan_nada(config, network, progress);
  const pipeline::Pipeline& pipeline = plan.training.pipeline;
  const std::vector<pipeline::Updater> updates = updaters(config, plan.problem);
  const pipeline::Simulated simulated =
      pipeline::simulate(pipeline, std::max({config.batch, kMostBatch, kSteadyImages}));
  const auto of = [&](std::int64_t images) { return pipeline::batch(simulated, images, updates); };
  const pipeline::BatchTimes batch = of(config.batch);
  BatchResult result;
  result.head = config.head();
  result.batch = config.batch;
  const auto step = [&](const char* name, Cycles cycles) {
    result.steps.push_back({name, cycles, seconds(cycles, config.clock_mhz)});
  };
  const Cycles begun = std::min(batch.fill, batch.written);
  step("fill", begun);
  step("steady", batch.written - begun);
  step("drain", batch.drain());
  step("update", batch.update);
  for (std::int64_t images = 1; images <= kMostBatch; images *= 2) {
    result.efficiencies.push_back({images, of(images).efficiency()});
  }
  for (const pipeline::FifoId id : plan.training.stores) {
    const pipeline::Fifo& fifo = pipeline.fifos[id];
    const std::int64_t pixels = simulated.high_water[id];
    result.stores.push_back({fifo.name, pixels, pixels * plan.training.token_words[id],
                             static_cast<double>(pixels) / static_cast<double>(pipeline.blocks[fifo.to].taken())});
  }
  const double rate = plan.images_per_s(plan.simulated.period);
  for (const Words words : plan.plan.link_words) {
    const double bits = static_cast<double>(words) * config.word_bits * rate;
    result.links.push_back({result.links.size() + 1, bits / 1e9, bits / static_cast<double>(config.link_goodput())});
  }
  result.efficiency = batch.efficiency();
  result.images_per_s = rate * result.efficiency;
  result.endless_images_per_s = rate;
  result.dataset_images = config.dataset_images;
  result.epoch_hours = static_cast<double>(config.dataset_images) / result.images_per_s / kSecondsPerHour;
  result.assumed = config.assumed;
  return {std::move(plan), batch, std::move(result)};
}

std::optional<BatchResult> NadaConfig::timeline(const workloads::ImportedGraph& graph,
                                                const nada::Progress& progress) const {
  return nada_timeline(*this, graph, progress).result;
}

}  // namespace weft::cluster
