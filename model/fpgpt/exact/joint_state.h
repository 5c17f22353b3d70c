#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/engine/channels.h"
#include "model/fpgpt/exact/joint_run.h"
#include "model/fpgpt/exact/setting.h"
#include "model/memory/ddr4_memory.h"

namespace weft::fpgpt::exact {

// State of kernel and DDR4 memory at an interval boundary or between steps.
struct JointState {
  Cycles now = 0;
  std::int64_t windows = 0;  // emitted by im2col
  std::uint32_t state = 0;   // number of the JointParts
  // Per channel with ports; `state` is set for decoupled ones only
  std::vector<engine::ChannelState> channels;
  std::vector<Cycles> assumed;  // write responses not yet confirmed by a decoupled channel
  Cycles last_answer = -1;      // last confirmed one
};

// Channels. `joint`: read by the kernel, which depends on them in every cycle. `decoupled`: written only.
struct JointChannels {
  std::vector<std::size_t> joint, decoupled;
  bool out_decoupled = false;  // port OUT's channel
  JointChannels() = default;
  JointChannels(const Setting& setting, const engine::Channels& channels);
};

// Relative state of a kernel and its joint channels, in parts that recur separately: kernel with readers, returns on
// their way to it, each of the channels.
using JointParts = std::array<std::string, 2 + kPorts>;

// Convert between state and bytes. save() settles the joint channels and delivers known returns.
void save(JointParts& parts, const Setting& setting, const engine::Channels& channels, const JointChannels& which,
          const JointState& joint, JointRun& joint_run, memory::Ddr4Memory& memory);
void load(JointParts& parts, const Setting& setting, const engine::Channels& channels, const JointChannels& which,
          const JointState& joint, JointRun& joint_run, memory::Ddr4Memory& memory);

}  // namespace weft::fpgpt::exact
