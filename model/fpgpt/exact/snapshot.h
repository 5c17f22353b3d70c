#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/channels.h"
#include "model/fpgpt/exact/joint_run.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/states.h"

namespace weft::fpgpt::exact {

// What ports and array have counted so far goes on with the kernel `to`.
void keep_accounts(const Kernel& from, Kernel& to);

// All but the last `count` responses: what the memory has not answered yet it will.
stream::BeatQueue without_last(const stream::BeatQueue& responses, std::int64_t count);

// The place of a kernel and its memory at the start of the next cycle. `rows`: see ChannelState, of each channel.
SimState take_snapshot(const Setting& setting, JointRun& joint_run, memory::Memory& memory, KernelStates& states,
                       engine::Channels& channels, const std::vector<std::int64_t>& rows);

// Puts a kernel and its memory to `sim`.
void restore(const Setting& setting, const SimState& sim, const KernelStates& states, const engine::Channels& channels,
             JointRun& joint_run, memory::Memory& memory);

}  // namespace weft::fpgpt::exact
