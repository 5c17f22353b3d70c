#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/channels.h"
#include "model/fpgpt/exact/joint_run.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/states.h"

namespace weft::fpgpt::exact {

// Copies the counts of ports and array to the kernel `to`.
void keep_accounts(const Kernel& from, Kernel& to);

// Returns all but the last `count` responses, which the memory has not given yet.
stream::BeatQueue without_last(const stream::BeatQueue& responses, std::int64_t count);

// Returns the state of kernel and memory at the start of the next cycle. `rows`: last row of each channel.
SimState take_snapshot(const Setting& setting, JointRun& joint_run, memory::Memory& memory, KernelStates& states,
                       engine::Channels& channels, const std::vector<std::int64_t>& rows);

// Restores kernel and memory to `sim`.
void restore(const Setting& setting, const SimState& sim, const KernelStates& states, const engine::Channels& channels,
             JointRun& joint_run, memory::Memory& memory);

}  // namespace weft::fpgpt::exact
