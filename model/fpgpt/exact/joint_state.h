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

// Where a kernel and its DDR4 memory are together, at an anchor.
struct JointState {
  Cycles now = 0;
  std::int64_t windows = 0;  // emitted by im2col
  std::uint32_t state = 0;   // see JointParts
  // Of each channel that ports use; the state of those alone that stand aside.
  std::vector<engine::ChannelState> channels;
  std::vector<Cycles> assumed;  // write responses that a channel that stands aside has not confirmed ...
  Cycles last_answer = -1;      // ... and the last that it has
};

// Channels by how much the kernel has to do with them. What it does from cycle to cycle depends on those that it reads;
// the others it may write, and is answered after a fixed time.
struct JointChannels {
  std::vector<std::size_t> joint, decoupled;
  bool out_decoupled = false;  // that of port OUT
  JointChannels() = default;
  JointChannels(const Setting& setting, const engine::Channels& channels);
};

// The relative state of a kernel and the channels that it is joined with, in parts that many of them share: the kernel
// with its readers, what is under way to it, and each of the channels.
using JointParts = std::array<std::string, 2 + kPorts>;

// Both ways. Saving settles these channels and hands on what has become known.
void save(JointParts& parts, const Setting& setting, const engine::Channels& channels, const JointChannels& which,
          const JointState& joint, JointRun& joint_run, memory::Ddr4Memory& memory);
void load(JointParts& parts, const Setting& setting, const engine::Channels& channels, const JointChannels& which,
          const JointState& joint, JointRun& joint_run, memory::Ddr4Memory& memory);

}  // namespace weft::fpgpt::exact
