#include "platform/studies/explain/ladder.h"

#include <utility>

#include "model/link/pcie_config.h"
#include "platform/run/row_cache.h"

namespace weft::explain {

using config::RunConfig;
using design::Changed;
using design::Counterfactual;

namespace {

__extension__ using Wide = __int128;

// Tries the changes that are possible, in one call of `trial`.
std::vector<Tried> try_all(const std::vector<const Counterfactual*>& changes, std::vector<Changed> made,
                           const Trial& trial) {
  std::vector<Candidate> candidates;
  std::vector<Tried> results(made.size());
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i].run) {
      candidates.push_back({std::move(*made[i].run), changes[i]->within});
      at.push_back(i);
    } else {
      results[i].why_not = std::move(made[i].why_not);
    }
  }
  std::vector<Tried> tried = trial(candidates);
  for (std::size_t i = 0; i < at.size(); ++i) results[at[i]] = std::move(tried[i]);
  return results;
}

std::vector<Tried> try_all(const RunConfig& on, const std::vector<Counterfactual>& changes,
                           const std::vector<std::size_t>& which, const Trial& trial) {
  std::vector<const Counterfactual*> chosen;
  std::vector<Changed> made;
  for (const std::size_t change : which) {
    chosen.push_back(&changes[change]);
    made.push_back(changes[change].make(on));
  }
  return try_all(chosen, std::move(made), trial);
}

// The start with all steps except one.
Changed without(const Ladder& ladder, std::size_t left_out, const std::vector<Counterfactual>& changes) {
  Changed made = Changed::to(ladder.start);
  for (std::size_t i = 0; i < ladder.steps.size() && made.run; ++i) {
    if (i != left_out) made = changes[ladder.steps[i].change].make(*made.run);
  }
  return made;
}

Ladder begin(const RunConfig& start, const Trial& trial) {
  Ladder ladder;
  Tried tried = std::move(trial({{start, ""}}).front());
  if (!tried.time) throw Error(tried.why_not);
  ladder.start = std::move(*tried.run);
  ladder.start_time = *tried.time;
  return ladder;
}

}  // namespace

bool operator<(const Time& a, const Time& b) {
  // Compares periods / clock, both sides multiplied by both clocks.
  return Wide{a.periods} * a.clock.denominator() * b.clock.numerator() <
         Wide{b.periods} * b.clock.denominator() * a.clock.numerator();
}

Climb climb(const RunConfig& start, const std::vector<Counterfactual>& changes, const Trial& trial,
            const Watch& watch) {
  Climb result;
  Ladder& ladder = result.ladder;
  ladder = begin(start, trial);
  result.effects.resize(changes.size());
  std::vector<std::size_t> left(changes.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (;;) {
    if (watch) watch(ladder.steps.size() + 1, left.size());
    std::vector<Tried> tried = try_all(ladder.end(), changes, left, trial);
    if (ladder.steps.empty()) {
      for (std::size_t i = 0; i < left.size(); ++i) result.effects[left[i]].alone = tried[i];
    }
    std::size_t best = left.size();
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (tried[i].time && *tried[i].time < (best == left.size() ? ladder.end_time() : *tried[best].time)) best = i;
    }
    if (best == left.size()) {
      for (std::size_t i = 0; i < left.size(); ++i) result.effects[left[i]].left = std::move(tried[i]);
      break;
    }
    ladder.steps.push_back({left[best], std::move(*tried[best].run), *tried[best].time});
    if (!changes[left[best]].again) left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }

  // Gain of each kept change if all others are made.
  std::vector<const Counterfactual*> kept;
  std::vector<Changed> made;
  for (std::size_t change = 0; change < changes.size(); ++change) {
    std::size_t last = ladder.steps.size();
    for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
      if (ladder.steps[i].change == change) last = i;
    }
    if (last == ladder.steps.size()) continue;
    kept.push_back(&changes[change]);
    made.push_back(without(ladder, last, changes));
  }
  const std::vector<Tried> tried = try_all(kept, std::move(made), trial);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    result.effects[static_cast<std::size_t>(kept[i] - changes.data())].without = tried[i];
  }
  return result;
}

Replay replay(const RunConfig& start, const std::vector<Counterfactual>& changes, const std::vector<std::size_t>& order,
              const Trial& trial, const Watch& watch) {
  Replay result;
  if (watch) watch(0, order.size());
  result.ladder = begin(start, trial);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (watch) watch(i + 1, order.size() - i);
    Tried tried = std::move(try_all(result.ladder.end(), changes, {order[i]}, trial).front());
    if (tried.time && *tried.time < result.ladder.end_time()) {
      result.ladder.steps.push_back({order[i], std::move(*tried.run), *tried.time});
    } else {
      result.dropped.push_back({order[i], result.ladder.steps.size(), std::move(tried)});
    }
  }
  return result;
}

using config::RunConfig;
using design::Changed;
using design::Counterfactual;

namespace {

// Change of one choice of the schedule.
template <class T>
Counterfactual of_schedule(const char* name, const char* meaning, T config::Schedule::*key, T value) {
  return {name, meaning, "", "", false, [key, value](const RunConfig& run) {
            if (run.schedule.*key == value) return Changed::impossible("the schedule has it");
            RunConfig changed = run;
            changed.schedule.*key = value;
            return Changed::to(std::move(changed));
          }};
}

constexpr int kLastGeneration = 5;

Changed with_faster_link(const RunConfig& run) {
  link::PcieConfig link = *run.board.pcie;
  if (link.generation >= kLastGeneration) return Changed::impossible("no generation of PCIe is later");
  const bool usual =
      link.dllp_interval_bytes == link::dllp_interval_bytes(link.generation, link.lanes, link.max_payload_bytes);
  ++link.generation;
  if (usual) link.dllp_interval_bytes = link::dllp_interval_bytes(link.generation, link.lanes, link.max_payload_bytes);
  RunConfig changed = run;
  changed.board.pcie = link;
  return Changed::to(std::move(changed));
}

Changed with_free_calls(const RunConfig& run) {
  RunConfig changed = run;
  changed.host->opencl = changed.host->xrt = {};
  return Changed::to(std::move(changed));
}

Changed with_free_loads(const RunConfig& run) {
  RunConfig changed = run;
  changed.host->load_card = changed.host->load_region = {};
  return Changed::to(std::move(changed));
}

}  // namespace

std::vector<Counterfactual> card_changes(const RunConfig& kernels) {
  using config::Schedule;
  const char* const ideal = "cannot be bought";
  std::vector<Counterfactual> all;
  all.push_back({"kernels", "kernel and memory as at the end of the ladder of the convolutions", "", "", false,
                 [kernels](const RunConfig& run) {
                   RunConfig changed = run;
                   changed.kernel = kernels.kernel;
                   changed.board.memory = kernels.board.memory;
                   if (config::to_yaml(run::cycles_node(changed)) == config::to_yaml(run::cycles_node(run))) {
                     return Changed::impossible("the convolutions have no change that makes them faster");
                   }
                   return Changed::to(std::move(changed));
                 }});
  all.push_back(of_schedule("load_region", "a region is reconfigured, not the card (schedule.load)", &Schedule::load,
                            config::LoadKind::Region));
  all.push_back(of_schedule("load_ahead", "bitstreams are loaded while the host computes (schedule.load_time)",
                            &Schedule::load_time, config::LoadTime::Ahead));
  all.push_back(of_schedule("fewest_loads", "an order of the operators with few loads (schedule.order)",
                            &Schedule::order, config::Order::FewestLoads));
  all.push_back(
      {"no_loads", "bitstreams are loaded in no time (host.reconfiguration)", ideal, "", false, with_free_loads});
  all.push_back(of_schedule("keep_tensors", "tensors stay on the card between convolutions (schedule.transfers)",
                            &Schedule::transfers, config::Transfers::KeepActivations));
  all.push_back(of_schedule("double_buffer", "transfers beside the kernel, on other channels (schedule.overlap)",
                            &Schedule::overlap, config::Overlap::DoubleBuffer));
  all.push_back(
      {"faster_pcie", "the next generation of PCIe", "needs another card and host", "", false, with_faster_link});
  all.push_back(of_schedule("xrt_calls", "the card is called through XRT (schedule.calls)", &Schedule::calls,
                            config::Calls::Xrt));
  all.push_back({"no_calls", "calls take no software (host.calls)", ideal, "", false, with_free_calls});
  return all;
}

}  // namespace weft::explain
