#include "platform/iteration/timeline/run_iteration.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "model/core/error.h"
#include "platform/config/schedule.h"
#include "platform/iteration/timeline/parts.h"
#include "platform/iteration/timeline/result.h"
#include "platform/os/process.h"
#include "platform/os/worker_pool.h"
#include "platform/run/accounting.h"

namespace weft::timeline {

namespace {

void require_iteration(const config::RunConfig& run) {
  if (has_iteration(run)) return;
  const auto none = [&](const config::Place& place, const char* key, const char* why) {
    return config::error_at(place, key, fmt::format("run '{}' has no training iteration: {}", run.name, why));
  };
  if (!run.only.everything()) throw none(run.only.place(), "only", "it leaves convolutions out; remove 'only'");
  if (run.kinds.size() != config::all_kinds().size()) {
    throw none(run.kinds_place, "kinds", "it leaves convolutions out; all of F, GI, GW are needed");
  }
  const bool one = std::holds_alternative<config::OneConvolution>(run.workload);
  throw none(run.workload_place, one ? "convolution" : "network",
             "layers given in a file have no graph; name a network or an ONNX file");
}

std::shared_ptr<const TrainedGraph> trained_graph(const config::RunConfig& run,
                                                  const training::TrainedNetwork& network) {
  return std::make_shared<TrainedGraph>(training_graph_of(run, network.forward), network.notes);
}

// Parts of the run, on the schedule's kernels if it names any.
std::vector<Part> kernel_parts(const config::RunConfig& run, const workloads::Network& network,
                               const config::Library& library, const run::Progress& progress) {
  return parts_on_kernels(run, parts_of(run, network), library,
                          [&](const std::string&, std::int64_t done, std::int64_t total) {
                            if (progress) progress(done, total);
                          });
}

// True if the run itself is the only part.
bool is_one_part(const config::RunConfig& run) {
  return run.schedule.im2col == config::Im2colPlace::Card && !run.schedule.kernels.given();
}

std::vector<run::Planned> plan(std::vector<Part>& parts) {
  std::vector<run::Planned> planned;
  for (Part& part : parts) {
    planned.push_back(run::plan(part.run, part.network));
    part.rows = planned.back().result.rows;
  }
  return planned;
}

}  // namespace

IterationNetwork iteration_network(const config::RunConfig& run, const config::Library& library) {
  if (!has_iteration(run)) return {training::load_network(run, library), nullptr};
  training::TrainedNetwork network = training::load_trained(run, library);
  const bool timed = run.host && run.board.pcie;
  auto graph = timed ? trained_graph(run, network) : nullptr;
  return {std::move(network.network), std::move(graph)};
}

TrainingIteration iteration(const config::RunConfig& run, const config::Library& library, const run::Progress& progress,
                            run::RowCache* cache, const Rows& rows) {
  require_iteration(run);
  const training::TrainedNetwork network = training::load_trained(run, library);
  const std::shared_ptr<const TrainedGraph> graph = trained_graph(run, network);
  check_iteration(run, graph->graph);
  std::vector<Part> parts;
  if (rows) {
    if (!is_one_part(run)) throw Error("iteration: the rows given are of the run's own kernels, not of others");
    parts = parts_of(run, network.network);
    parts.front().rows = rows(network.network);
  } else {
    parts = kernel_parts(run, network.network, library, progress);
    std::vector<run::Planned> planned = plan(parts);
    // Checked before simulation; the equations are no slower than this check.
    if (run.rung != config::Rung::Analytical) check_room(run, *graph, views(parts));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].rows = run::simulate(std::move(planned[i]), progress, cache).rows;
    }
  }
  Links links;
  return iteration_of(run, graph, views(parts), links);
}

const training::TrainedNetwork& Iterations::trained(const config::RunConfig& run) {
  std::string name;
  if (const auto* named = std::get_if<config::NamedNetwork>(&run.workload)) name = named->name;
  if (const auto* onnx = std::get_if<config::OnnxNetwork>(&run.workload)) name = onnx->path.string();
  auto& network = networks_[{name, run.batch, run.lower_fc, run.lower_matmul, run.input_sizes}];
  if (!network) network = training::load_trained(run, library_);
  return *network;
}

std::shared_ptr<const TrainedGraph> Iterations::graph(const config::RunConfig& run) {
  const training::TrainedNetwork& network = trained(run);
  auto& graph = graphs_[{&network, run.gi_first, run.schedule.updates, run.schedule.loss}];
  if (!graph) graph = trained_graph(run, network);
  return graph;
}

workloads::Network Iterations::network(const config::RunConfig& run) {
  try {
    if (has(run)) return trained(run).network;
  } catch (const Error&) {
    // The network may still be valid; of() and check() report the error.
  }
  return training::load_network(run, library_);
}

bool Iterations::has(const config::RunConfig& run) {
  return has_iteration(run) && run.host && run.board.pcie;
}

void Iterations::check(const run::Result& prepared) {
  const config::RunConfig& run = prepared.config;
  if (!has(run)) return;
  const auto graph = this->graph(run);
  check_iteration(run, graph->graph);
  if (run.schedule.kernels.given() && !run.schedule.kernels.is_result()) return;
  std::vector<Part> parts = kernel_parts(run, prepared.network, library_, {});
  if (run.rung == config::Rung::Analytical) return;
  if (is_one_part(run)) {
    parts.front().rows = prepared.rows;
  } else {
    plan(parts);
  }
  check_room(run, *graph, views(parts));
}

std::vector<Part> Iterations::parts(const config::RunConfig& run, const workloads::Network& network) const {
  return kernel_parts(run, network, library_, {});
}

TrainingIteration Iterations::of(const config::RunConfig& run, const std::vector<Part>& parts) {
  return iteration_of(run, graph(run), views(parts), links_);
}

std::optional<TrainingIteration> Iterations::of(const Convolutions& convolutions) {
  const run::Result& result = convolutions.result;
  const config::RunConfig& run = result.config;
  if (!has(run)) return std::nullopt;
  const auto graph = this->graph(run);
  if (!convolutions.parts.empty()) return iteration_of(run, graph, views(convolutions.parts), links_);
  if (is_one_part(run)) {
    return iteration_of(run, graph, {{&run, &result.network, &result.rows, false}}, links_);
  }
  std::vector<Part> parts = kernel_parts(run, result.network, library_, {});
  for (Part& part : parts) part.rows = run::simulate(part.run, part.network, {}).rows;
  return iteration_of(run, graph, views(parts), links_);
}

namespace {

// Returns what `make` returns, or its error. ScheduleError is not caught: an invalid schedule is a user error.
template <class Make>
std::optional<run::IterationRecord> unless_unknown(Make make) {
  try {
    return make();
  } catch (const ScheduleError&) {
    throw;
  } catch (const Error& error) {
    run::IterationRecord unknown;
    unknown.error = error.what();
    return unknown;
  }
}

}  // namespace

bool on_kernels_of_schedule(const config::RunConfig& run) {
  return run.schedule.kernels.given() && run.schedule.im2col == config::Im2colPlace::Card;
}

std::variant<Convolutions, run::Interrupted> convolutions(const config::RunConfig& run,
                                                          const workloads::Network& network,
                                                          const config::Library& library, const run::Progress& progress,
                                                          run::RowCache* cache,
                                                          const volatile std::sig_atomic_t* interrupt,
                                                          stream::Observer* observer) {
  if (!on_kernels_of_schedule(run)) {
    auto done = run::simulate(run::plan(run, network), progress, cache, interrupt, observer);
    if (const auto* const interrupted = std::get_if<run::Interrupted>(&done)) return *interrupted;
    return Convolutions{std::get<run::Result>(std::move(done)), {}};
  }
  std::vector<Part> parts = kernel_parts(run, network, library, progress);
  std::vector<run::Planned> planned = plan(parts);
  std::vector<run::Planned*> all;
  std::size_t rows = 0;
  for (run::Planned& each : planned) {
    if (run.strict_fit) run::require_fit(each.result);
    all.push_back(&each);
    rows += each.result.rows.size();
  }
  run::Simulations simulations(run.workers.value_or(os::processors()), observer ? nullptr : cache);
  const std::size_t left = simulations.simulate(all, progress, interrupt, observer);
  if (left > 0) return run::Interrupted{rows - left, rows};
  std::vector<run::Result> results;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].rows = planned[i].result.rows;
    results.push_back(std::move(planned[i].result));
  }
  return Convolutions{run::merged(run, network, results), std::move(parts)};
}

void take_loads(run::Result& result, const TrainingIteration& iteration) {
  result.kernels = static_cast<std::int64_t>(iteration.timeline.kernels);
  result.loads = iteration.timeline.loads;
}

std::variant<run::Record, run::Interrupted> recorded(const config::RunConfig& run, const config::Library& library,
                                                     const run::Progress& progress, stream::Observer* observer,
                                                     run::RowCache* cache) {
  Iterations iterations(library);
  const workloads::Network network = iterations.network(run);
  std::optional<run::IterationRecord> iteration = unless_unknown([&]() -> std::optional<run::IterationRecord> {
    iterations.check(run::prepare(run, network));
    return std::nullopt;
  });
  auto done = convolutions(run, network, library, progress, cache, &os::interrupt(), observer);
  if (const auto* const interrupted = std::get_if<run::Interrupted>(&done)) return *interrupted;
  auto& simulated = std::get<Convolutions>(done);
  if (!iteration) {
    iteration = unless_unknown([&]() -> std::optional<run::IterationRecord> {
      const std::optional<TrainingIteration> known = iterations.of(simulated);
      if (!known) return std::nullopt;
      take_loads(simulated.result, *known);
      return record_of(*known);
    });
  }
  run::Record record = run::record_of(simulated.result, std::move(iteration));
  record.inputs = *library.inputs;
  return record;
}

namespace {

using host::Basis;
using host::Price;

// True if one key equals the other or contains it.
bool touches(const std::string& assumed, const std::string& key) {
  const auto below = [](const std::string& a, const std::string& b) { return a == b || a.rfind(b + ".", 0) == 0; };
  return below(assumed, key) || below(key, assumed);
}

bool is_roofline(Basis basis) {
  return basis == Basis::Compute || basis == Basis::Memory || basis == Basis::Bytes;
}

bool has_step(const TrainingIteration& of, StepKind activity) {
  return std::any_of(of.timeline.steps.begin(), of.timeline.steps.end(),
                     [&](const Step& step) { return step.activity == activity; });
}

// Host operators of the timeline, each once.
std::vector<workloads::OperatorId> host_operators(const TrainingIteration& of) {
  std::vector<workloads::OperatorId> list;
  for (const Step& step : of.timeline.steps) {
    if (step.activity == StepKind::HostOperator) list.push_back(step.op);
  }
  return list;
}

// Keys of the host that the iteration's times depend on.
std::vector<std::string> used_keys(const TrainingIteration& of) {
  const config::Schedule& how = of.run.schedule;
  std::set<std::string> keys;
  for (const workloads::OperatorId op : host_operators(of)) {
    const Price& price = of.prices[op];
    if (!is_roofline(price.basis)) continue;
    const auto kind =
        price.basis == Basis::Bytes ? workloads::OperatorClass::Unknown : workloads::class_of(of.graph().operators[op]);
    const std::string key = "operators." + config::class_key(kind);
    const bool compute = price.basis == Basis::Compute;
    keys.insert(compute ? "peak_gflops" : "memory_gbytes_per_s");
    keys.insert(key + (compute ? ".compute" : ".memory"));
    keys.insert(key + ".call_us");
    keys.insert("threads");
  }
  const std::string calls = std::string("calls.") + config::to_string(how.calls) + ".";
  const bool copied = how.host_buffers == config::HostBuffers::Copied;
  for (const bool to_card : {true, false}) {
    if (!has_step(of, to_card ? StepKind::ToCard : StepKind::ToHost)) continue;
    keys.insert(calls + (to_card ? "to_card_us" : "to_host_us"));
    if (copied) keys.insert(std::string("unaligned_copy.") + (to_card ? "to_card" : "to_host") + "_gbytes_per_s");
  }
  if (of.timeline.launches > 0) {
    keys.insert(calls + "launch_us");
    keys.insert(calls + "register_write_us");
  }
  if (of.queued_launches > 0) keys.insert(calls + "launch_pipelined_us");
  if (has_step(of, StepKind::Im2col)) keys.insert("im2col_gbytes_per_s");
  for (const Step& step : of.timeline.steps) {
    if (step.activity != StepKind::Tiling) continue;
    if (step.bytes == 0) {
      keys.insert("matrices.tile_ns");
    } else {
      keys.insert({"memory_gbytes_per_s", "operators.copy.memory", "operators.copy.call_us"});
    }
  }
  if (has_step(of, StepKind::Untiling)) keys.insert("matrices.untile_ns");
  if (has_step(of, StepKind::Quantise)) keys.insert("quantiser.quantise_ns");
  if (has_step(of, StepKind::Dequantise)) keys.insert("quantiser.dequantise_ns");
  if (of.timeline.loads > 0) {
    keys.insert(how.load == config::LoadKind::Card ? "reconfiguration.card" : "reconfiguration.region");
  }
  return {keys.begin(), keys.end()};
}

}  // namespace

Assumed assumed_of(const TrainingIteration& iteration) {
  Assumed assumed;
  assumed.schedule = iteration.run.schedule.assumed;
  const std::vector<std::string> used = used_keys(iteration);
  for (const std::string& key : iteration.host.assumed) {
    if (std::any_of(used.begin(), used.end(), [&](const std::string& each) { return touches(key, each); })) {
      assumed.host.push_back(key);
    }
  }
  // Assumed keys of the link, and of the memory unless the equations are used, which ignore it.
  const bool simulated = iteration.run.rung != config::Rung::Analytical;
  const bool linked = iteration.timeline.to_card + iteration.timeline.to_host > 0;
  for (const std::string& key : iteration.run.board.assumed) {
    if ((linked && touches(key, "pcie")) || (simulated && touches(key, "memory"))) assumed.board.push_back(key);
  }
  return assumed;
}

MeasuredUse measured_use(const TrainingIteration& iteration) {
  MeasuredUse use;
  std::set<std::size_t> entries;
  for (const workloads::OperatorId op : host_operators(iteration)) {
    const Price& price = iteration.prices[op];
    if (!price.entry) continue;
    entries.insert(*price.entry);
    use.operators += 1;
    use.scaled += price.basis == Basis::MeasuredAtOther ? 1 : 0;
    use.plain_loops += price.plain_loop ? 1 : 0;
  }
  use.unused = static_cast<std::int64_t>(iteration.host.measured.size() - entries.size());
  return use;
}

}  // namespace weft::timeline
