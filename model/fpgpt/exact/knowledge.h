#pragma once

#include <memory>

#include "model/engine/account.h"
#include "model/engine/knowledge.h"
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
// are sent, and the stretches of the kernel of those in a row that differ in where their tensors lie alone, as the
// groups of a layer do. A convolution comes to the same whatever was known before it; only how long that takes depends
// on it, and what had to be learnt.
class Knowledge {
 public:
  // For the convolution that begins now; `setting` is used until the next one begins.
  void begin(const Setting& setting, const engine::ExactOptions& options);

  engine::Channels& channels() { return *channels_; }
  KernelStates& states() { return kernel_->states; }
  Memo& memo() { return kernel_->memo; }
  JointMemo& joint_memo() { return kernel_->joint_memo; }
  engine::Pace& pace() { return kernel_->pace; }  // of convolutions that remember the same

  // Of the channels alone: see engine::Knowledge.
  bool must_trim() const { return sent_.must_trim(); }
  void trim(std::vector<engine::ChannelState>& states) { sent_.trim(states); }

  // All that is known of kernels and of what they send; no walk may be under way.
  void forget();
  void forget_but(JointState& joint);  // the same but for where kernel and memory are together
  void forget_sent();                  // of it, what they send
  std::size_t memory() const;          // bytes of that, about, but for what is known of kernel and memory together
  // That may take what all else leaves, and takes more.
  bool beyond_all() const {
    return kernel_->joint_memo.memory() > 0 && memory() + kernel_->joint_memo.memory() + channels_->memory() > bytes_;
  }

 private:
  struct OfKernel {
    KernelStates states;
    Memo memo;
    JointMemo joint_memo;
    engine::Pace pace;
    OfKernel(engine::Channels& channels, engine::SharedPool& shared)
        : memo(states, channels, shared), joint_memo(channels, shared) {}
  };

  engine::Knowledge sent_;
  engine::Channels* channels_ = nullptr;
  std::unique_ptr<OfKernel> kernel_;
  std::shared_ptr<const Plan> plan_;  // of the convolution before ...
  Cycles stretch_cycles_ = 0;         // ... and how it was cut
  std::size_t bytes_ = 0;             // that may be remembered in all
  int forgotten_ = 0;                 // how often what is sent was forgotten when kernel_ began
};

}  // namespace weft::fpgpt::exact
