#pragma once

#include <vector>

#include "model/engine/account.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"

// Four memo tables. Each key contains everything that the entry depends on, so that an entry equals the simulation
// (`verify` simulates some of them again and compares):
//
// Memo: an interval for which the memory is fast enough.
//   Key: kernel state, windows to go, beat alignment of the tensors around, page alignment of OUT. The memory is not in
//   the key: read beats are assumed in time, writes answered after a fixed time. The channels then replay the requests,
//   and the entry is used only if they confirm this. Readers have separate entries. Key: reader state, cycles in which
//   beats are consumed, page alignment of the tensor. Nothing else reaches a reader (DdrReader::may_ask).
// JointMemo: a step of the kernel and the channels that it reads.
//   Key: joint state, windows to go, beat and page alignment of the tensors, bank/row signature of the requests,
//   distance to a refresh within the step. The look-ahead of a state, in rounds or passes of the tensors, is recorded
//   while its steps are simulated; a step with a larger look-ahead widens it, and steps from the state get new keys.
// BeatToBeat: INP, the feeder and the array up to the next beats.
//   Key: their state, cycles to the first beat, number of beats, alignment of the ranges processed. KERN is loaded and
//   OUT always accepts rows, so that only beats reach these blocks. Steps that look at a range outside the key are not
//   recorded.
// engine::StepMemo: one event of a channel.
//   Key: channel state, event with the bank and row of its address, cycles to the next event, distance to a refresh
//   before it. Nothing else reaches a channel between two events.
namespace weft::fpgpt::exact {

class MemoCache;

struct ExactResult {
  ConvolutionResult convolution;
  engine::ExactAccount account;
};

// Activities of the blocks up to the start of given cycles.
struct Samples {
  std::vector<Cycles> cycles;               // rising
  std::vector<BlockActivities> activities;  // one per cycle up to the end of the convolution
};

// Simulates one convolution in timing mode, replaying what provably repeats; all counts equal those of run_clocked().
// Throws Deadlock as it does, and Mismatch if a verified interval differs. `samples`: filled; each costs a simulated
// interval. `cache`: memo shared by the convolutions of this process; may be null. Results do not depend on it, only
// the `recorded` counters do.
ExactResult run_exact(const Plan& plan, const memory::MemoryConfig& memory, const engine::ExactOptions& options,
                      Samples* samples = nullptr, MemoCache* cache = nullptr);

}  // namespace weft::fpgpt::exact
