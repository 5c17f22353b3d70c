#include "platform/iteration/timeline/what_counted.h"

#include <algorithm>
#include <set>

#include "platform/config/schedule.h"

namespace weft::timeline {

namespace {

using host::Basis;
using host::Price;

// Whether `assumed` is `key`, a key below it or one that it is below of.
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

// Operators of the host, each once.
std::vector<workloads::OperatorId> host_operators(const TrainingIteration& of) {
  std::vector<workloads::OperatorId> list;
  for (const Step& step : of.timeline.steps) {
    if (step.activity == StepKind::HostOperator) list.push_back(step.op);
  }
  return list;
}

// The keys of the host that the iteration's times go by.
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
  if (has_step(of, StepKind::Tiling)) keys.insert("matrices.tile_ns");
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
  // The link's; the equations know nothing of the memory's.
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
