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

// What may be remembered of kernels and of what they send. The rest is for what memory channels make of it, which is
// far more.
inline std::size_t bytes_of_kernel(const engine::ExactOptions& options) {
  return static_cast<std::size_t>(options.memo_bytes / 4);
}

// What the convolutions that a process counts one after the other know together: what memory channels make of what they
// are sent, and the intervals of the kernel of those in a row that differ in where their tensors lie alone, as the
// groups of a layer do. A convolution comes to the same whatever was known before it; only how long that takes depends
// on it, and what had to be learnt.
class MemoCache {
 public:
  // For the convolution that begins now; `setting` is used until the next one begins.
  void begin(const Setting& setting, const engine::ExactOptions& options);

  engine::Channels& channels() { return *channels_; }
  KernelStates& states() { return memos_->states; }
  Memo& memo() { return memos_->memo; }
  JointMemo& joint_memo() { return memos_->joint_memo; }
  engine::Pace& pace() { return memos_->pace; }  // of convolutions that remember the same

  // Of the channels alone: see engine::ChannelCache.
  bool must_trim() const { return channel_cache_.must_trim(); }
  void trim(std::vector<engine::ChannelState>& states) { channel_cache_.trim(states); }

  // All that is known of kernels and of what they send; no walk may be under way.
  void evict();
  void evict_except(JointState& joint);  // the same but for where kernel and memory are together
  void evict_traces();                   // of it, what they send
  std::size_t memory() const;            // bytes of that, about, but for what is known of kernel and memory together
  // That may take what all else leaves, and takes more.
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
  std::shared_ptr<const Plan> plan_;  // of the convolution before ...
  Cycles interval_cycles_ = 0;        // ... and how it was cut
  std::size_t bytes_ = 0;             // that may be remembered in all
  int evictions_ = 0;                 // how often what is sent was forgotten when memos_ began
};

}  // namespace weft::fpgpt::exact
