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

// A kernel and its memory in timing mode, for as many cycles at a time as all that comes from the memory is known
// (BlockRuns). Cycles in which nothing can move are accounted for without stepping the blocks.
class JointRun {
 public:
  JointRun(std::shared_ptr<const Plan> plan, memory::Memory& memory, std::vector<int> channel_of_port)
      : kernel_(std::move(plan)), memory_(&memory), channel_of_port_(std::move(channel_of_port)) {
    last_address_.resize(1 + *std::max_element(channel_of_port_.begin(), channel_of_port_.end()));
  }

  // Goes on from `kernel` at the start of cycle `now`; the caller has restored the memory to match.
  void resume(Kernel kernel, Cycles now) {
    kernel_ = std::move(kernel);
    now_ = now;
    pass_from_ = now;
  }

  // From now on writes do not go to the memory: `writes` answers and notes them.
  void answer_writes(AnsweredWrites* writes) { writes_ = writes; }

  // From now on what the kernel does from one beat of INP to the next is looked up; its memory is a DDR4 memory. Not
  // with borders.
  void look_up(BeatToBeat* beat_to_beat) { beat_to_beat_ = beat_to_beat; }

  // From now on calls `passed` where cycle `cycle` begins, with what the blocks have done since this object began; it
  // returns the next border, which is later, or kNever.
  void sample_at(Cycles cycle, std::function<Cycles(const BlockActivities&)> passed) {
    sample_cycle_ = cycle;
    on_sample_ = std::move(passed);
  }

  // Until the convolution is done, or im2col has emitted `windows` windows: false, at the start of the cycle after.
  // Throws Deadlock if nothing can ever move again.
  bool run(std::int64_t windows);
  // Until all borders before cycle `end`, which lies before the end of the convolution, are passed.
  void run_past_samples(Cycles end);

  Kernel& kernel() { return kernel_; }
  const Kernel& kernel() const { return kernel_; }
  Cycles now() const { return now_; }  // the next cycle; once done, the cycles that the convolution took
  Cycles stepped() const { return stepped_; }
  Cycles looked_up() const { return looked_up_; }  // of these, those of a BeatToBeat
  Cycles quiet() const { return quiet_; }          // cycles accounted for without stepping
  const BlockActivities& activities() const { return activities_; }
  // Bytes that the bursts which OUT has asked for since clear_written() lie in, from the first to the last; empty if
  // there are none.
  struct Extent {
    Address first = 0, last = -1;
    bool empty() const { return last < first; }
  };
  const Extent& written() const { return written_; }
  void clear_written() { written_ = {}; }
  // The address that a memory channel was sent last.
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
  std::vector<Address> last_address_;  // of each channel
  Extent written_;
  BeatToBeat* beat_to_beat_ = nullptr;
  Cycles pass_from_ = 0, looked_up_ = 0;
  AnsweredWrites* writes_ = nullptr;
};

}  // namespace weft::fpgpt::exact
