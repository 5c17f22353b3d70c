#include "platform/studies/cluster/nada_timeline.h"

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
  NadaTimeline result;
  result.plan = plan_nada(config, network, progress);
  const nada::Problem& problem = result.plan.problem;
  const pipeline::Pipeline& pipeline = result.plan.training.pipeline;
  const std::vector<pipeline::Updater> updates = updaters(config, problem);
  const pipeline::Simulated simulated =
      pipeline::simulate(pipeline, std::max({config.batch, kMostBatch, kSteadyImages}));
  const auto of = [&](std::int64_t images) { return pipeline::batch(simulated, images, updates); };
  result.batch = of(config.batch);
  for (std::int64_t images = 1; images <= kMostBatch; images *= 2) {
    result.efficiencies.emplace_back(images, of(images).efficiency());
  }

  for (const pipeline::FifoId id : result.plan.training.stores) {
    const pipeline::Fifo& fifo = pipeline.fifos[id];
    const std::int64_t pixels = simulated.high_water[id];
    result.stores.push_back({fifo.name, pixels, pixels * result.plan.training.token_words[id],
                             static_cast<double>(pixels) / static_cast<double>(pipeline.blocks[fifo.to].taken())});
  }
  const double rate = result.plan.images_per_s(result.plan.simulated.period);
  for (const Words words : result.plan.plan.link_words) {
    const double bits = static_cast<double>(words) * config.word_bits * rate;
    result.links.push_back({bits, bits / static_cast<double>(config.link_goodput())});
  }
  result.images_per_s = rate * result.batch.efficiency();
  result.epoch_hours = static_cast<double>(config.dataset_images) / result.images_per_s / kSecondsPerHour;
  return result;
}

}  // namespace weft::cluster
