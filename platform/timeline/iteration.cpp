#include "platform/timeline/iteration.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "model/core/error.h"
#include "model/link/link.h"
#include "platform/config/model_config.h"
#include "platform/host/calls.h"
#include "platform/timeline/contention.h"
#include "platform/timeline/schedule.h"
#include "workloads/training_graph.h"

namespace weft::timeline {

namespace {

const config::Host& host_of(const config::RunConfig& run) {
  if (run.host) return *run.host;
  throw Error(
      fmt::format("run '{}' has no host: its board '{}' has no default_host; give it one, as in --set "
                  "host=xeon-bronze-3104",
                  run.name, run.board.name));
}

const link::PcieConfig& pcie_of(const config::RunConfig& run) {
  if (run.board.pcie) return *run.board.pcie;
  throw Error(
      fmt::format("board '{}' has no link to a host (key pcie), so that there is no timeline of it", run.board.name));
}

// Of the ports that take turns between two channels: those that the schedule says, else channels that nothing uses.
std::map<int, int> other_channels(const config::RunConfig& run) {
  std::map<int, int> other;
  if (run.schedule.overlap == config::Overlap::None) return other;
  const std::vector<int> channels = config::port_channels(run);
  const std::vector<config::KernelPort> ports = run.kernel->ports();
  std::set<int> taken(channels.begin(), channels.end());
  const int count = config::channels(run.board.memory);
  if (run.schedule.other_channels.empty()) {
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
  for (const auto& [name, channel] : run.schedule.other_channels) {
    const auto port = std::find_if(ports.begin(), ports.end(),
                                   [&, named = name](const config::KernelPort& each) { return each.name == named; });
    const std::string key = "schedule.other_channels." + name;
    if (port == ports.end()) {
      std::string known;
      for (const config::KernelPort& each : ports) known += (known.empty() ? "" : ", ") + std::string(each.name);
      throw Error(fmt::format("{}: the kernel has no such port (known: {})", key, known));
    }
    if (channel >= count) {
      throw Error(fmt::format("{}: channel {} does not exist; the memory of board '{}' has {} (0 to {})", key, channel,
                              run.board.name, count, count - 1));
    }
    const int own = channels[static_cast<std::size_t>(port - ports.begin())];
    const auto [at, added] = other.emplace(own, channel);
    if (!added && at->second != channel) {
      throw Error(
          fmt::format("{}: ports that share channel {} must go to the same other one, or the kernel takes other "
                      "cycles",
                      key, own));
    }
  }
  // Ports that have a channel each must have one each there too.
  std::set<int> there;
  for (const int channel : std::set<int>(channels.begin(), channels.end())) {
    const auto moved = other.find(channel);
    if (!there.insert(moved == other.end() ? channel : moved->second).second) {
      throw Error(
          "schedule.other_channels: two ports that have a channel each would share one, and the kernel would take "
          "other "
          "cycles");
    }
  }
  return other;
}

std::int64_t macs_of(const std::vector<PartView>& parts) {
  std::int64_t macs = 0;
  for (const PartView& part : parts) {
    for (const design::Row& row : *part.rows) macs += row.macs;
  }
  return macs;
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
  options.gi_first = run.gi_first;
  options.updates =
      run.schedule.updates == config::Updates::AtEnd ? workloads::UpdateOrder::AtEnd : workloads::UpdateOrder::AsReady;
  return workloads::training_graph(forward, options);
}

link::Link& Links::of(const link::PcieConfig& config) {
  const auto found =
      std::find_if(links_.begin(), links_.end(), [&](const link::Link& link) { return link.config() == config; });
  return found == links_.end() ? links_.emplace_back(config) : *found;
}

TrainingIteration iteration_of(const config::RunConfig& run, std::shared_ptr<const TrainedGraph> network,
                               const std::vector<PartView>& parts, Links& links) {
  TrainingIteration result;
  result.run = run;
  result.host = host_of(run);
  result.network = std::move(network);
  result.prices = host::prices(result.host, result.graph(), run.schedule.unknown_operators);
  result.convolution_macs = macs_of(parts);
  Jobs jobs = jobs_of(result.graph(), parts);
  result.kernel_names = std::move(jobs.kernel_names);

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
  std::int64_t writes = 0;
  for (const auto& job : jobs.of) {
    if (job) writes = std::max(writes, job->register_writes);
  }
  prices.launch_software = host::launch_time(result.host, how.calls, writes);
  prices.reconfiguration = result.load_time;
  Contention contention(parts, pcie_of(run));
  prices.contended = [&](const Job& job, const std::vector<Contender>& transfers) {
    return contention.of(job, transfers);
  };
  result.timeline = schedule(
      {&result.graph(), &result.network->dependencies, std::move(jobs.of), result.kernel_names, other_channels(run)},
      prices, how, card_of(run));
  result.parts = breakdown(result.timeline);
  return result;
}

}  // namespace weft::timeline
