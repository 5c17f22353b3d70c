#pragma once

#include <vector>

#include "model/engine/account.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"

// Four tables remember what follows from a state. States are recognised by keys, each of which holds all that it
// depends on, so that what is found is what stepping would give (`verify` replays some of it and compares):
//
// Memo: a interval for which the memory is fast enough.
//   Key: the state of the kernel, the windows to go, how the tensors that it looks at lie in beats, OUT in pages. The
//   memory has no part in it: read beats are there whenever they are looked for, writes are answered after a fixed
//   time. The channels then go over what was asked for, and the interval is used only if they answer so. Readers have
//   keys of their own: their state, the cycles in which beats are taken, how the tensor lies in pages. Nothing else
//   reaches a reader (DdrReader::may_ask).
// JointMemo: a step of the kernel and the channels that it reads.
//   Key: the state of both, the windows to go, how tensors lie in beats and pages and what is asked for in banks and
//   rows, and the distance of a refresh that falls into the step. How far around a state tensors are looked at is
//   recorded while its steps are simulated; a step that looks further widens it, and those from it get new keys.
// BeatToBeat: INP, the feeder and the array up to the next beats.
//   Key: their state, the cycles to the first beat, how many follow, how the ranges that they turn to lie. KERN is
//   loaded and OUT always takes a row, so beats are all that reaches them; a step that turns to a range that is not in
//   the key is not kept.
// engine::StepMemo: one event of a channel.
//   Key: the state of the channel, the event and how its address lies in bank and row, the time to the next event, and
//   the distance of a refresh before that. Nothing else reaches a channel between two events.
namespace weft::fpgpt::exact {

class MemoCache;

struct ExactResult {
  ConvolutionResult convolution;
  engine::ExactAccount account;
};

// What the blocks have done by the start of some cycles.
struct Samples {
  std::vector<Cycles> cycles;               // rising
  std::vector<BlockActivities> activities;  // at those of them that are not behind the end
};

// Simulates one convolution in timing mode and skips what provably repeats: the same counts as run_clocked(), to the
// cycle. Throws Deadlock as it does, and Mismatch if a replay differs.
// `samples`, if there are some, are filled: each costs the replay of a interval.
// `cache`: what earlier convolutions of this process found out and later ones may use; without it this one begins
// with nothing. It changes no count but for what had to be learnt.
ExactResult run_exact(const Plan& plan, const memory::MemoryConfig& memory, const engine::ExactOptions& options,
                      Samples* samples = nullptr, MemoCache* cache = nullptr);

}  // namespace weft::fpgpt::exact
