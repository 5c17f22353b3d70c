#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "model/fpgpt/exact/answered_writes.h"
#include "model/fpgpt/exact/beat_to_beat.h"
#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/kernel.h"
#include "model/fpgpt/result.h"
#include "model/memory/memory.h"

namespace weft::fpgpt::exact {

// Kernel and memory in timing mode, advanced as many cycles at a time as the returns of the memory are known
// (BlockRuns). Cycles in which nothing can move are counted without stepping.
class JointRun {
 public:
  JointRun(std::shared_ptr<const Plan> plan, memory::Memory& memory, std::vector<int> channel_of_port)
      : kernel_(std::move(plan)), memory_(&memory), channel_of_port_(std::move(channel_of_port)) {
    last_address_.resize(1 + *std::max_element(channel_of_port_.begin(), channel_of_port_.end()));
  }

  // Continues from `kernel` at the start of cycle `now`; the caller has restored the memory.
  void resume(Kernel kernel, Cycles now) {
    kernel_ = std::move(kernel);
    now_ = now;
    pass_from_ = now;
  }

  // From now on `writes` records and answers the writes instead of the memory.
  void answer_writes(AnsweredWrites* writes) { writes_ = writes; }

  // From now on uses memoised steps between beats of INP. Requires a DDR4 memory; excludes sample_at().
  void look_up(BeatToBeat* beat_to_beat) { beat_to_beat_ = beat_to_beat; }

  // Calls `sample` at the start of `cycle` with all activities so far; it returns the next cycle, or kNever.
  void sample_at(Cycles cycle, std::function<Cycles(const BlockActivities&)> sample) {
    sample_cycle_ = cycle;
    on_sample_ = std::move(sample);
  }

  // Runs to the end of the convolution and returns true, or until im2col has emitted `windows` windows and returns
  // false. Throws Deadlock if nothing can ever move again.
  bool run(std::int64_t windows);
  // Runs until all samples before cycle `end` are taken. `end` lies in the convolution.
  void run_past_samples(Cycles end);

  Kernel& kernel() { return kernel_; }
  const Kernel& kernel() const { return kernel_; }
  Cycles now() const { return now_; }  // next cycle; the total at the end
  Cycles stepped() const { return stepped_; }
  Cycles looked_up() const { return looked_up_; }  // by BeatToBeat
  Cycles quiet() const { return quiet_; }          // counted without stepping
  const BlockActivities& activities() const { return activities_; }
  // First to last byte of the bursts that OUT has requested since clear_written().
  struct Extent {
    Address first = 0, last = -1;
    bool empty() const { return last < first; }
  };
  const Extent& written() const { return written_; }
  void clear_written() { written_ = {}; }
  // Last address sent to a memory channel.
  Address last_address(int channel) const { return last_address_[static_cast<std::size_t>(channel)]; }
  void note_address(int channel, Address address) { last_address_[static_cast<std::size_t>(channel)] = address; }

 private:
  void go_on(std::int64_t windows);
  void pass_beats(std::int64_t windows);
  void step_out(Cycles now);
  void send(Port port, Cycles now);
  void skip(Cycles quiet_from);
  void take_sample();

  Kernel kernel_;
  memory::Memory* memory_;
  Cycles now_ = 0, stepped_ = 0, quiet_ = 0;
  BlockActivities activities_{};
  Cycles sample_cycle_ = kNever;
  std::function<Cycles(const BlockActivities&)> on_sample_;
  std::vector<int> channel_of_port_;
  std::vector<Address> last_address_;  // per channel
  Extent written_;
  BeatToBeat* beat_to_beat_ = nullptr;
  Cycles pass_from_ = 0, looked_up_ = 0;
  AnsweredWrites* writes_ = nullptr;
};

}  // namespace weft::fpgpt::exact
