#include "platform/iteration/timeline/iteration.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/config/host.h"
#include "platform/config/reader.h"
#include "platform/iteration/timeline/parts.h"
#include "platform/iteration/timeline/residency.h"
#include "platform/iteration/timeline/schedule.h"
#include "workloads/graph/training_graph.h"

namespace weft::timeline {

namespace {

const config::Host& host_of(const config::RunConfig& run) {
  if (run.host) return *run.host;
  throw config::error_at(
      run.batch_place, "host",
      fmt::format("run '{}' has no host, and its board '{}' has no default_host: give one, e.g. --set "
                  "host=xeon-bronze-3104",
                  run.name, run.board.name));
}

const link::PcieConfig& pcie_of(const config::RunConfig& run) {
  if (run.board.pcie) return *run.board.pcie;
  throw config::error_at(run.batch_place, "board.pcie",
                         fmt::format("board '{}' has no link to a host, which a timeline needs", run.board.name));
}

// Assigns unused channels to the channels that ports use, in ascending order.
std::map<int, int> free_channels(const std::vector<int>& channels, int count) {
  std::map<int, int> other;
  std::set<int> taken(channels.begin(), channels.end());
  int next = 0;
  for (const int channel : channels) {
    if (other.count(channel) != 0) continue;
    while (taken.count(next) != 0) ++next;
    if (next >= count) break;
    other[channel] = next;
    taken.insert(next);
  }
  return other;
}

// Returns the channels given by the schedule. Throws InputError.
std::map<int, int> chosen_channels(const config::RunConfig& run, const std::vector<int>& channels, int count) {
  std::map<int, int> other;
  const std::vector<config::KernelPort> ports = run.kernel->ports();
  for (const auto& [name, chosen] : run.schedule.other_channels) {
    const auto port = std::find_if(ports.begin(), ports.end(),
                                   [&, named = name](const config::KernelPort& each) { return each.name == named; });
    const auto wrong = [&, key = "schedule.other_channels." + name, place = chosen.place](const std::string& what) {
      return ScheduleError(config::error_at(place, key, what));
    };
    if (port == ports.end()) {
      std::vector<std::string> known;
      known.reserve(ports.size());
      for (const config::KernelPort& each : ports) known.emplace_back(each.name);
      throw wrong("the kernel has no such port" + config::suggestion(name, known));
    }
    if (chosen.channel >= count) {
      throw wrong(fmt::format("channel {} does not exist; the memory of board '{}' has {} (0 to {})", chosen.channel,
                              run.board.name, count, count - 1));
    }
    const int own = channels[static_cast<std::size_t>(port - ports.begin())];
    const auto [at, added] = other.emplace(own, chosen.channel);
    if (!added && at->second != chosen.channel) {
      throw wrong(
          fmt::format("{}, but another port of channel {} moves to channel {}; ports that share a channel must move to "
                      "the same channel",
                      chosen.channel, own, at->second));
    }
  }
  // Ports on separate channels must also have separate ones after the change.
  std::map<int, int> there;
  for (const int channel : std::set<int>(channels.begin(), channels.end())) {
    const auto moved = other.find(channel);
    const int to = moved == other.end() ? channel : moved->second;
    const auto [first, fresh] = there.emplace(to, channel);
    if (!fresh) {
      throw ScheduleError(
          config::error_at(run.schedule.other_channels_place, "schedule.other_channels",
                           fmt::format("the ports of channels {} and {} would share channel {}; move them to different "
                                       "channels",
                                       first->second, channel, to)));
    }
  }
  return other;
}

// Channels of the ports that alternate between two channels.
std::map<int, int> other_channels(const config::RunConfig& run) {
  const std::vector<int> channels = config::port_channels(run);
  const int count = config::channels(run.board.memory);
  if (run.schedule.other_channels.empty()) {
    return run.schedule.overlap == config::Overlap::None ? std::map<int, int>{} : free_channels(channels, count);
  }
  return chosen_channels(run, channels, count);
}

void check_overlap(const config::RunConfig& run) {
  if (run.schedule.overlap != config::Overlap::SameBank) return;
  if (run.rung == config::Rung::SystemC && run.mode == config::Mode::Timing) return;
  const bool rung = run.rung != config::Rung::SystemC;
  throw ScheduleError(config::error_at(
      run.schedule.overlap_place, "schedule.overlap",
      fmt::format(
          "same_bank needs rung systemc in mode timing to simulate a kernel and a transfer on one memory channel; "
          "this run is {} {}; otherwise allowed: none, double_buffer",
          rung ? "on rung" : "in mode", rung ? config::to_string(run.rung) : config::to_string(run.mode))));
}

void check_prices(const config::RunConfig& run, const workloads::Graph& graph) {
  const bool refuse = run.schedule.unknown_operators == config::UnknownOperators::Refuse;
  const std::string list = workloads::without_price(graph, !refuse);
  if (list.empty()) return;
  const std::string& where = graph.file.empty() ? graph.name : graph.file;
  const auto wrong = [&](const std::string& what) {
    return config::error_at(run.schedule.unknown_operators_place, "schedule.unknown_operators", what);
  };
  if (refuse) {
    throw wrong(
        fmt::format("refuse: {} has operators of which no price is known: {}; by_bytes prices them by the bytes "
                    "that they move",
                    where, list));
  }
  throw ScheduleError(wrong(fmt::format("by_bytes: {} has operators with unknown bytes: {}", where, list)));
}

std::int64_t convolution_flops(const workloads::Graph& graph) {
  std::int64_t flops = 0;  // below 2^63, as the sum over all operators is
  for (const workloads::Operator& op : graph.operators) flops += op.is_convolution() ? op.flops : 0;
  return flops;
}

Card card_of(const config::RunConfig& run) {
  const std::vector<int> channels = config::port_channels(run);
  const int used = 1 + *std::max_element(channels.begin(), channels.end());
  if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&run.board.memory)) {
    return {ddr4->bytes_per_channel, ddr4->channels};
  }
  if (const auto* other = std::get_if<config::UnmodelledMemory>(&run.board.memory)) {
    return {other->bytes_per_channel, std::max(other->channels, used)};
  }
  return {std::numeric_limits<Bytes>::max(), used};  // ideal memory has no size
}

}  // namespace

bool has_iteration(const config::RunConfig& run) {
  const bool whole = std::holds_alternative<config::NamedNetwork>(run.workload) ||
                     std::holds_alternative<config::OnnxNetwork>(run.workload);
  return whole && run.only.everything() && run.kinds.size() == config::all_kinds().size();
}

workloads::Graph training_graph_of(const config::RunConfig& run, const workloads::Graph& forward) {
  workloads::TrainingOptions options;
  options.loss = run.schedule.loss;
  const config::Place& place = run.schedule.loss.empty() ? run.workload_place : run.schedule.loss_place;
  if (place.source) options.loss_place = {place.source->name, place.source->option ? 0 : place.line, "schedule.loss"};
  options.gi_first = run.gi_first;
  options.updates =
      run.schedule.updates == config::Updates::AtEnd ? workloads::UpdateOrder::AtEnd : workloads::UpdateOrder::AsReady;
  try {
    return workloads::training_graph(forward, options);
  } catch (const InputError& error) {
    if (run.schedule.loss.empty()) throw;
    throw ScheduleError(error);
  }
}

link::Link& Links::of(const link::PcieConfig& config) {
  const auto found =
      std::find_if(links_.begin(), links_.end(), [&](const link::Link& link) { return link.config() == config; });
  return found == links_.end() ? links_.emplace_back(config) : *found;
}

namespace {

// Checks the schedule of a host that prepares each launch: no overlap, no tensors kept on the card, im2col on the host.
void check_served(const config::RunConfig& run, const Jobs& jobs) {
  if (std::none_of(jobs.of.begin(), jobs.of.end(), [](const auto& job) { return job && job->host_prepared; })) return;
  if (!host_of(run).matrices) {
    throw config::error_at(run.batch_place, "host.matrices",
                           fmt::format("host '{}' has none: what it takes to prepare a launch of {} is not known; give "
                                       "them, as in --set 'host.matrices={{tile_ns: 3.75, untile_ns: 3.75, col2im_ns: "
                                       "3.75}}'",
                                       host_of(run).name, run.kernel->design()));
  }
  const config::Schedule& how = run.schedule;
  const auto allow = [&](bool right, const char* key, const config::Place& place, const char* only) {
    if (right) return;
    throw ScheduleError(config::error_at(
        place, std::string("schedule.") + key,
        fmt::format("must be {} with kernels of {}, whose host prepares each launch", only, run.kernel->design())));
  };
  allow(how.overlap == config::Overlap::None, "overlap", how.overlap_place, "none");
  allow(how.transfers == config::Transfers::EveryCall, "transfers", how.transfers_place, "every_call");
  allow(how.im2col == config::Im2colPlace::Card, "im2col", how.im2col_place, "left out (the host always does im2col)");
}

// Fixed-point kernels require a host with quantiser prices. Tensors kept on the card must have one format.
void check_formats(const config::RunConfig& run, const Jobs& jobs) {
  std::set<int> bits;
  for (const auto& job : jobs.of) {
    if (job) bits.insert(job->format.bits);
  }
  const bool fixed =
      std::any_of(jobs.of.begin(), jobs.of.end(), [](const auto& job) { return job && job->format.is_fixed(); });
  if (fixed && !host_of(run).quantiser) {
    throw config::error_at(run.batch_place, "host.quantiser",
                           fmt::format("host '{}' has none: what it takes to make words of fixed point is not known; "
                                       "give it, as in --set 'host.quantiser={{quantise_ns: 3, dequantise_ns: 0.2}}'",
                                       host_of(run).name));
  }
  if (bits.size() > 1 && run.schedule.transfers != config::Transfers::EveryCall) {
    throw ScheduleError(config::error_at(run.schedule.transfers_place, "schedule.transfers",
                                         "must be every_call if convolutions have different number formats"));
  }
}

// Schedules; adds to a CardMemoryError the key that can help.
Timeline schedule_of(const config::RunConfig& run, const TrainedGraph& network, Jobs jobs, const Prices& prices) {
  check_served(run, jobs);
  check_formats(run, jobs);
  try {
    return schedule(
        {&network.graph, &network.dependencies, std::move(jobs.of), std::move(jobs.kernel_names), other_channels(run)},
        prices, run.schedule, card_of(run));
  } catch (const CardMemoryError& error) {
    if (run.schedule.transfers == config::Transfers::EveryCall) {
      throw config::error_at(run.batch_place, "batch", fmt::format("{}: {}", run.batch, error.what()));
    }
    throw ScheduleError(
        config::error_at(run.schedule.transfers_place, "schedule.transfers",
                         fmt::format("{}: {}", config::to_string(run.schedule.transfers), error.what())));
  }
}

}  // namespace

void check_iteration(const config::RunConfig& run, const workloads::Graph& graph) {
  host_of(run);
  pcie_of(run);
  check_overlap(run);
  other_channels(run);
  check_prices(run, graph);
}

void check_room(const config::RunConfig& run, const TrainedGraph& network, const std::vector<PartView>& parts) {
  // The contents of the card's memory depend on the order of issue, not on times.
  Prices free;
  free.host_operator = [](workloads::OperatorId) { return Picoseconds{0}; };
  free.transfer = [](link::Direction, Bytes) { return CallTime{}; };
  free.im2col = free.reorder = [](Bytes) { return Picoseconds{0}; };
  free.tile = free.untile = [](const design::HostPrepared&) { return Picoseconds{0}; };
  free.quantise = free.dequantise = [](std::int64_t) { return Picoseconds{0}; };
  free.contended = [](const Job& job, const std::vector<Contender>& transfers) {
    const Launch& launch = job.launches.back();
    return Contended{launch, std::vector<Picoseconds>(transfers.size(), launch.done)};
  };
  schedule_of(run, network, jobs_of(network.graph, parts), free);
}

TrainingIteration iteration_of(const config::RunConfig& run, std::shared_ptr<const TrainedGraph> network,
                               const std::vector<PartView>& parts, Links& links) {
  check_iteration(run, network->graph);
  TrainingIteration result;
  result.run = run;
  result.host = host_of(run);
  result.network = std::move(network);
  result.prices = host::prices(result.host, result.graph(), run.schedule.unknown_operators);
  result.convolution_flops = convolution_flops(result.graph());
  Jobs jobs = jobs_of(result.graph(), parts);
  result.kernel_names = jobs.kernel_names;

  const config::Schedule& how = run.schedule;
  const config::LoadCost& load = how.load == config::LoadKind::Card ? result.host.load_card : result.host.load_region;
  result.load_time = load.typical_ps;
  link::Link& link = links.of(pcie_of(run));
  Prices prices;
  prices.host_operator = [&](workloads::OperatorId op) { return result.prices[op].time; };
  prices.transfer = [&](link::Direction direction, Bytes bytes) {
    const link::CallCost cost = host::call_cost(result.host, how.calls, direction);
    const Picoseconds whole = link.time(direction, 0, bytes, cost, how.host_buffers == config::HostBuffers::Copied);
    const Picoseconds bare = link.time(direction, 0, bytes, {});
    return CallTime{whole - bare, whole};
  };
  prices.im2col = [&](Bytes bytes) { return host::im2col_time(result.host, bytes); };
  prices.reorder = [&](Bytes bytes) { return host::copy_time(result.host, bytes); };
  prices.tile = [&](const design::HostPrepared& host_prepared) {
    return host::tile_time(result.host, host_prepared.tiled);
  };
  prices.untile = [&](const design::HostPrepared& host_prepared) {
    return host::untile_time(result.host, host_prepared.untiled, host_prepared.col2im);
  };
  prices.quantise = [&](std::int64_t words) { return host::quantise_time(result.host, words); };
  prices.dequantise = [&](std::int64_t words) { return host::dequantise_time(result.host, words); };
  std::int64_t writes = 0;
  for (const auto& job : jobs.of) {
    if (!job) continue;
    writes = std::max(writes, job->register_writes);
    if (!job->host_prepared) result.queued_launches += static_cast<std::int64_t>(job->launches.size()) - 1;
  }
  prices.launch_software = host::launch_time(result.host, how.calls, writes);
  prices.queued_launch_software = host::launch_time(result.host, how.calls, writes, true);
  prices.reconfiguration = result.load_time;
  Contention contention(parts, pcie_of(run));
  prices.contended = [&](const Job& job, const std::vector<Contender>& transfers) {
    return contention.of(job, transfers);
  };
  result.timeline = schedule_of(run, *result.network, std::move(jobs), prices);
  result.parts = breakdown(result.timeline);
  return result;
}

}  // namespace weft::timeline
