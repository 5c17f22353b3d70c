#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/engine/channels.h"
#include "model/engine/consumption_schedule.h"
#include "model/engine/intern.h"
#include "model/fpgpt/exact/answered_writes.h"
#include "model/fpgpt/exact/leg.h"
#include "model/fpgpt/exact/outlook.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/states.h"
#include "model/fpgpt/exact/stretch.h"

namespace weft::fpgpt::exact {

// Runs a kernel by itself from the state `bytes` at `anchor` until im2col has emitted `windows` windows more, and fills
// `stretch` but for `next`; returns the kernel as it is then. Throws Error if it makes no progress.
Kernel run_free(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor, std::int64_t windows,
                WriteAnswer answer, Stretch& stretch);

// The stretches of convolutions that differ in where their tensors lie alone, and what the readers do in them: learnt
// when they are met first, from then on looked up.
class Memo {
 public:
  // What is sent is kept in `shared`, which outlives the memo.
  Memo(KernelStates& states, const engine::Channels& channels, engine::SharedPool& shared)
      : states_(states), channels_(channels), shared_(shared) {}

  // Whose stretches are asked for from now on.
  void begin(const Setting& setting, WriteAnswer answer) {
    setting_ = &setting;
    answer_ = answer;
    outlook_.begin(*setting.plan, setting.cut.rounds());
    distinct_ = 0;
    learnt_cycles_ = 0;
  }

  // The leg that begins at `place`, `before` being the one that ended there, if there was one; nullptr if the end of
  // the convolution is too near. Where a leg was followed by another and the tensors look the same, it is followed by
  // it again.
  Leg* after(const Leg* before, const Place& place);

  std::int64_t distinct() const { return distinct_; }      // stretches that were learnt since begin() ...
  Cycles learnt_cycles() const { return learnt_cycles_; }  // ... and their cycles

  void forget();               // not the states, nor what is shared
  std::size_t memory() const;  // bytes that are remembered, about

 private:
  Leg* find(const Place& place);
  const LearntAhead* find_ahead(std::size_t port, const Place& place, const Learnt& kernel);
  Key<2> key_of(const Place& place);
  Key<2> key_of(std::size_t port, const Place& place, const Learnt& kernel);
  bool learn(const Place& place);
  bool learn_ahead(std::size_t port, const Place& place, const Learnt& kernel);
  const engine::RequestTrace* trace_of(const Leg& leg, std::size_t channel);
  // Whether the traces of single ports hold all that a walk sends.
  bool traces_hold_all() const { return setting_->is_ddr4() && !channels_.shared(); }

  const Setting* setting_ = nullptr;
  WriteAnswer answer_;
  KernelStates& states_;
  const engine::Channels& channels_;
  engine::SharedPool& shared_;

  Outlook outlook_;
  std::vector<std::unique_ptr<Learnt>> learnt_;
  KeyMap<2> learnt_of_;
  // The same of the readers of INP and KERN.
  std::array<std::vector<std::unique_ptr<LearntAhead>>, 2> aheads_;
  std::array<KeyMap<2>, 2> ahead_of_;
  std::vector<std::unique_ptr<Leg>> legs_;
  KeyMap<2> leg_of_;     // by its parts
  KeyMap<2> leg_after_;  // by the one before it, how all looks, and where in its span it begins
  // By the channel and its ports' traces.
  tsl::robin_map<Key<4>, const engine::RequestTrace*, KeyHash> trace_of_ports_;
  std::size_t learnt_bytes_ = 0;
  std::int64_t distinct_ = 0;
  Cycles learnt_cycles_ = 0;
};

}  // namespace weft::fpgpt::exact
