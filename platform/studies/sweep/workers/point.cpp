#include "platform/studies/sweep/workers/point.h"

#include <fmt/core.h>

#include <chrono>
#include <new>

#include "model/core/error.h"
#include "platform/run/simulate.h"
#include "platform/studies/sweep/definition/figures.h"

namespace weft::sweep {

const workloads::Network& PointRunner::network(const config::RunConfig& run) {
  std::string name;
  if (const auto* named = std::get_if<config::NamedNetwork>(&run.workload)) name = named->name;
  if (const auto* onnx = std::get_if<config::OnnxNetwork>(&run.workload)) name = onnx->path.string();
  if (name.empty()) networks_.clear();  // layers given in the run have no file name
  const std::tuple key{name, run.batch, run.lower_fc, run.lower_matmul, run.input_sizes};
  const auto found = networks_.find(key);
  if (found != networks_.end()) return found->second;
  return networks_.emplace(key, load_(run)).first->second;
}

// Returns the iteration; its absence is an error only if the sweep varies keys of the iteration.
PointIteration PointRunner::iteration(const timeline::Convolutions& convolutions) const {
  if (!iteration_) return {};
  try {
    return {iteration_(convolutions), ""};
  } catch (const Error& error) {
    if (definition_->varies_iteration()) throw;
    return {std::nullopt, error.what()};
  }
}

void PointRunner::check(std::int64_t point) {
  if (definition_->of_clusters()) {
    definition_->cluster(point);
  } else {
    network(definition_->run(point));
  }
}

void PointRunner::simulate(std::int64_t point, int processes, Outcome& outcome) {
  config::RunConfig run = definition_->run(point);
  outcome.config = config::resolved_yaml(run);
  if (run.sparsity && !run.sparsity->file.empty()) definition_->library().note(run.sparsity->file);
  run.workers = 1;  // points run in parallel
  run.processes = processes;
  auto done = timeline::convolutions(run, network(run), definition_->library(), {}, cache_ ? &*cache_ : nullptr);
  auto& convolutions = std::get<timeline::Convolutions>(done);
  const PointIteration of = iteration(convolutions);
  if (of.iteration) timeline::take_loads(convolutions.result, *of.iteration);
  outcome.config += config::named_inputs(outcome.config, definition_->library().inputs.get());
  outcome.fields = point_values(convolutions.result, of);
  outcome.rows = convolution_values(convolutions.result);
}

void PointRunner::plan(std::int64_t point, Outcome& outcome) {
  const std::unique_ptr<cluster::Cluster> cluster = definition_->cluster(point);
  outcome.config = cluster->resolved_yaml();
  auto graph = graphs_.find(cluster->network);
  if (graph == graphs_.end()) {
    graph = graphs_.emplace(cluster->network, cluster::network_of(*cluster, definition_->library())).first;
  }
  outcome.config += config::named_inputs(outcome.config, definition_->library().inputs.get());
  outcome.fields = point_values(cluster->figures(graph->second));
}

Outcome PointRunner::run(std::int64_t point, int processes) {
  Outcome outcome;
  outcome.point = point;
  const auto start = std::chrono::steady_clock::now();
  try {
    definition_->of_clusters() ? plan(point, outcome) : simulate(point, processes, outcome);
  } catch (const MachineError&) {
    throw;  // not a property of the point
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Deadlock& error) {
    outcome.error = fmt::format("deadlock: {}", error.what());
  } catch (const Error& error) {
    outcome.error = error.what();
  } catch (const std::exception& error) {
    outcome.error = fmt::format("internal error: {}", error.what());
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace weft::sweep
