#pragma once

#include <memory>

#include "model/engine/account.h"
#include "model/engine/channel_cache.h"
#include "model/engine/pace.h"
#include "model/fpgpt/exact/joint_memo.h"
#include "model/fpgpt/exact/memo.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/states.h"

namespace weft::fpgpt::exact {

// Returns the limit of kernel states, entries and traces, and that of the clocks of MIG controllers. The rest is for
// memory channels, which need far more.
inline std::size_t bytes_of_kernel(const engine::ExactOptions& options) {
  return static_cast<std::size_t>(options.memo_bytes / 4);
}
inline std::size_t bytes_of_clocks(const engine::ExactOptions& options) {
  return static_cast<std::size_t>(options.memo_bytes / 16);
}

// Memo shared by the convolutions that a process counts one after the other: entries of the memory channels, and
// intervals of consecutive convolutions that differ only in the addresses of their tensors, such as the groups of a
// layer. Results do not depend on it, only the `recorded` counters do.
class MemoCache {
 public:
  // Returns the remembered clocks for a setting with this memory.
  std::shared_ptr<memory::MigClocks> clocks(const memory::MemoryConfig& memory, const engine::ExactOptions& options) {
    return options.memo_bytes > 0 ? channel_cache_.clocks(memory, bytes_of_clocks(options)) : nullptr;
  }
  // Begins a convolution; `setting` must live until the next begin().
  void begin(const Setting& setting, const engine::ExactOptions& options);

  engine::Channels& channels() { return *channels_; }
  KernelStates& states() { return memos_->states; }
  Memo& memo() { return memos_->memo; }
  JointMemo& joint_memo() { return memos_->joint_memo; }
  engine::Pace& pace() { return memos_->pace; }  // of convolutions that share entries

  // Limit the channels' entries, see engine::ChannelCache.
  bool must_trim() const { return channel_cache_.must_trim(); }
  void trim(std::vector<engine::ChannelState>& states) { channel_cache_.trim(states); }

  // Evicts all entries of the kernel and all traces. Not during a replay.
  void evict();
  void evict_except(JointState& joint);  // during a joint replay
  void evict_traces();                   // traces only
  std::size_t memory() const;            // approximate bytes without the joint memo
  // Returns true if the joint memo exceeds the bytes that all else leaves.
  bool over_limit() const {
    return memos_->joint_memo.memory() > 0 && memory() + memos_->joint_memo.memory() + channels_->memory() > bytes_;
  }

 private:
  struct KernelMemos {
    KernelStates states;
    Memo memo;
    JointMemo joint_memo;
    engine::Pace pace;
    KernelMemos(engine::Channels& channels, engine::SharedPool& shared)
        : memo(states, channels, shared), joint_memo(channels, shared) {}
  };

  engine::ChannelCache channel_cache_;
  engine::Channels* channels_ = nullptr;
  std::unique_ptr<KernelMemos> memos_;
  std::shared_ptr<const Plan> plan_;  // of the last convolution
  Cycles interval_cycles_ = 0;        // of the last convolution
  std::size_t bytes_ = 0;             // limit of all entries
  int evictions_ = 0;                 // of the shared pool when memos_ began
};

}  // namespace weft::fpgpt::exact
