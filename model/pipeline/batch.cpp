#include "model/pipeline/batch.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"

namespace weft::pipeline {

double BatchTimes::efficiency() const {
  return boost::rational_cast<double>(period * images / total());
}

BatchTimes batch(const Simulated& simulated, std::int64_t images, const std::vector<Updater>& updaters) {
  const auto most = static_cast<std::int64_t>(simulated.ends.size());
  if (images < 1) throw Error(fmt::format("the batch is {} images, allowed is at least 1", images));
  if (images > most) throw Error(fmt::format("the batch is {} images, but {} are simulated", images, most));
  if (!simulated.recurrence) throw Error(fmt::format("the pipeline has no steady state within {} images", most));
  BatchTimes result;
  const auto last = static_cast<std::size_t>(images - 1);
  result.images = images;
  result.written = simulated.written[last];
  result.fill = simulated.ends.front();
  result.last = simulated.ends[last];
  for (const Updater& updater : updaters) result.update = std::max(result.update, updater.cycles());
  result.period = simulated.recurrence->period();
  return result;
}

BatchTimes batch(const Pipeline& pipeline, std::int64_t images, const std::vector<Updater>& updaters,
                 std::int64_t limit) {
  return batch(simulate(pipeline, std::max(images, limit)), images, updaters);
}

}  // namespace weft::pipeline
