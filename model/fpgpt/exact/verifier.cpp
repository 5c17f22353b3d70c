#include "model/fpgpt/exact/verifier.h"

#include <fmt/core.h>

#include <memory>
#include <vector>

#include "model/core/error.h"
#include "model/fpgpt/exact/joint_run.h"
#include "model/fpgpt/exact/replayed_counts.h"
#include "model/fpgpt/exact/snapshot.h"

namespace weft::fpgpt::exact {

// Selects uniformly, such that about `intervals_` of a convolution are chosen.
bool Verifier::chooses(std::int64_t windows, std::int64_t stride, std::int64_t strides) {
  const std::int64_t before = verified_;
  for (std::int64_t i = 0; i < strides && more(); ++i) {
    const std::int64_t left = (setting_.plan->inp.count() - windows) / stride + 1 - i;
    if (static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(left)) < intervals_ - verified_) ++verified_;
  }
  return verified_ > before;
}

void Verifier::verify(const MemoEntry& entry, const LateResponses& late, const SimState& before, const SimState& after,
                      KernelStates& states, engine::Channels& channels) {
  const std::unique_ptr<memory::Memory> memory = setting_.make_memory();
  JointRun joint_run(setting_.plan, *memory, setting_.memory.port_channel);
  restore(setting_, before, states, channels, joint_run, *memory);
  const auto fail = [&](const char* what) {
    throw Mismatch(fmt::format("the replay of cycles {} to {} differs in {}; this is an error of the exact rung",
                               before.now, after.now, what));
  };
  if (joint_run.run(after.windows) || joint_run.now() != after.now) fail("its length");
  BlockActivities activities = entry.kernel->interval.activities;
  for (std::size_t i = 0; i < 2; ++i) count_requesting(i, entry.readers[i]->ahead.request_only, activities);
  late.add_to(activities);
  if (joint_run.activities() != activities) fail("what the blocks did");
  if (joint_run.kernel().array.starved() != entry.kernel->interval.array_starved) fail("what the array waited for");
  std::vector<std::int64_t> rows;
  for (const auto& channel : after.channels) rows.push_back(channel.row);
  const SimState sim = take_snapshot(setting_, joint_run, *memory, states, channels, rows);
  if (after.assumed.empty() && sim.state != after.state) fail("the state of the kernel");
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (sim.channels[i].state != after.channels[i].state) fail("the state of a memory channel");
    if (sim.channels[i].refresh_due != after.channels[i].refresh_due) fail("the next refresh");
  }
  for (std::size_t port = 0; port < 2; ++port) {
    if (sim.readers[port] != after.readers[port]) fail("the state of a reader");
    if (sim.read[port].last() != after.read[port].last() || sim.read[port].size() != after.read[port].size()) {
      fail("the data under way");
    }
  }
}

}  // namespace weft::fpgpt::exact
