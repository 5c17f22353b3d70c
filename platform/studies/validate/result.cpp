#include "platform/studies/validate/result.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "platform/record/activities.h"

namespace weft::validate {

void fields(record::Visitor& io, MeasurementResult& m) {
  io("cycles", "cycles", "cycles of the convolution", m.cycles);
  io("limiter", "the block whose work is longest", m.limiter);
  io.named("blocks", "per block: cycles of its equation, or cycles of the simulation in each state", "cycles",
           "the block's equation, or its states", m.blocks);
  io("repeats", "whether it equals an earlier convolution and was not simulated again", m.repeats);
}

void fields(record::Visitor& io, CauseResult& cause) {
  io("block", "block with the difference", cause.block);
  io("work", "cycles", "more cycles of work", cause.work);
  io("blocked", "cycles", "more cycles blocked", cause.blocked);
  io("starved", "cycles", "more cycles starved", cause.starved);
  io("idle", "cycles", "more cycles idle", cause.idle);
}

static void fields(record::Visitor& io, PairResult& pair) {
  io("kernel", "name of the kernel", pair.kernel);
  io("layer", "name of the layer", pair.layer);
  io.choice("kind", "F, GI or GW", pair.kind, kKinds);
  io("error", "1", "error of the cycles, (model - against) / against", pair.error);
  io("model", "figures of the rung whose error is computed", pair.model);
  io("against", "figures of the reference rung", pair.against);
  io("cause", "where the difference comes from; its terms add up to against - model", pair.cause);
  io("reason", "the cause in words", pair.reason);
}

static void fields(record::Visitor& io, PublishedFigures& published) {
  io("mean", "%", "mean error", published.mean);
  io("sd", "%", "standard deviation", published.sd);
  io("max", "%", "largest error", published.max);
  io("min", "%", "smallest error", published.min);
}

static void fields(record::Visitor& io, KindStatistics& kind) {
  io("convolutions", "convolutions", "number of convolutions", kind.errors.count);
  io("mean", "1", "mean error", kind.errors.mean);
  io("sd", "1", "standard deviation of the sample; 0 of one", kind.errors.sd);
  io("max", "1", "largest error", kind.errors.max);
  io("min", "1", "smallest error", kind.errors.min);
  io("published_percent", "published errors", kind.published);
}

static void fields(record::Visitor& io, Histogram& histogram) {
  io("width_percent", "%", "width of a bin", histogram.width_percent);
  io("first", "bins", "the lower edge of the first bin, in widths from 0", histogram.first);
  io.lists("bins", "from the lowest to the highest", "F, GI, GW", "convolutions", "convolutions of the kind in the bin",
           histogram.bins);
}

void fields(record::Visitor& io, ValidateResult& result) {
  io.head("validate", 3, result.weft_version);
  io("name", "name of the validation, or of the run", result.name);
  io.group("rungs", "what is compared", [&](record::Visitor& rungs) {
    rungs.choice("model", "rung whose error is computed", result.model, kRungs);
    rungs.choice("against", "reference rung", result.against, kRungs);
  });
  io.group("statistics", "errors by kind", [&](record::Visitor& statistics) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      statistics(conv::to_string(static_cast<conv::Kind>(kind)), "errors of a kind", result.statistics.at(kind));
    }
  });
  io("histogram", "histogram of the errors", result.histogram);
  io.list("convolutions", "every convolution of every kernel", "", "a convolution on a kernel", result.convolutions);
  io("baseline", "comparison with the baseline", result.baseline);
  io("limits", "limits of the errors", result.limits);
  io("board", "name of the board; absent if runs have different ones", result.board);
  io("batch", "images", "batch of a convolution; absent if runs have different ones", result.batch);
  io("published_source", "source of the published figures", result.published_source);
  io("worst", "convolutions", "convolutions that the table lists and explains", result.worst);
  config::inputs_field(io, result.inputs);
}

bool ValidateResult::holds() const {
  return (!baseline || baseline->deviations.empty()) && (!limits || limits->holds);
}

bool ValidateResult::published() const {
  return std::any_of(statistics.begin(), statistics.end(), [](const auto& kind) { return kind && kind->published; });
}

std::vector<std::size_t> ValidateResult::worst_first() const {
  std::vector<std::size_t> order(convolutions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(convolutions[a].error) > std::fabs(convolutions[b].error);
  });
  return order;
}

std::vector<std::string> ValidateResult::kernels() const {
  std::vector<std::string> names;
  for (const PairResult& pair : convolutions) {
    if (std::find(names.begin(), names.end(), pair.kernel) == names.end()) names.push_back(pair.kernel);
  }
  return names;
}

static MeasurementResult result_of(const Topology& topology, const Measurement& m) {
  MeasurementResult result;
  result.cycles = m.cycles;
  result.limiter = topology.blocks[m.limiter].name;
  for (std::size_t i = 0; i < m.work.size(); ++i) {
    result.blocks.push_back({topology.blocks[i].name, m.work[i]});
    if (m.simulated) result.blocks.back().second = m.activities[i];
  }
  if (m.repeats) result.repeats = true;
  return result;
}

static PairResult result_of(const Pair& pair) {
  const Cause c = cause(pair.model, pair.against);
  return {pair.kernel,
          pair.layer.name,
          pair.kind,
          pair.error(),
          result_of(*pair.topology, pair.model),
          result_of(*pair.topology, pair.against),
          {pair.topology->blocks[c.block].name, c.work, c.blocked, c.starved, c.idle},
          reason(pair),
          pair.model.processor_seconds + pair.against.processor_seconds};
}

ValidateResult result_of(const ValidateConfig& config, const std::vector<Pair>& pairs) {
  ValidateResult result;
  result.name = config.name;
  result.model = config.model;
  result.against = config.against;
  std::array<std::vector<double>, kKinds> errors;
  for (const Pair& pair : pairs) {
    errors.at(static_cast<std::size_t>(pair.kind)).push_back(pair.error());
    result.convolutions.push_back(result_of(pair));
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (errors.at(kind).empty()) continue;
    result.statistics.at(kind) = KindStatistics{statistics(errors.at(kind)), config.published.at(kind)};
  }
  result.histogram = histogram(errors);
  if (config.limits) result.limits = judge(*config.limits, pairs);
  const config::RunConfig& first = config.kernels.front().run;
  const auto all_have = [&](const auto& of) {
    return std::all_of(config.kernels.begin(), config.kernels.end(),
                       [&](const KernelRun& kernel) { return of(kernel.run) == of(first); });
  };
  if (all_have([](const config::RunConfig& run) { return run.board.name; })) result.board = first.board.name;
  if (all_have([](const config::RunConfig& run) { return run.batch; })) result.batch = first.batch;
  if (!config.published_source.empty()) result.published_source = config.published_source;
  result.worst = config.worst;
  return result;
}

}  // namespace weft::validate
