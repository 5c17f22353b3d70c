#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "model/engine/channels.h"
#include "model/engine/consumption_schedule.h"
#include "model/engine/delivery.h"
#include "model/engine/intern.h"
#include "model/fpgpt/exact/alignment_fingerprint.h"
#include "model/fpgpt/exact/answered_writes.h"
#include "model/fpgpt/exact/beat_to_beat.h"
#include "model/fpgpt/exact/joint_run.h"
#include "model/fpgpt/exact/joint_state.h"
#include "model/fpgpt/exact/joint_step.h"
#include "model/fpgpt/exact/lookahead.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/trace_bases.h"
#include "model/fpgpt/result.h"
#include "model/memory/clock_ratio.h"
#include "model/memory/config.h"

namespace weft::fpgpt::exact {

// The steps of convolutions that differ in where their tensors lie alone: simulated when they are met first, from then
// on looked up. It is for where the memory is too slow for what the kernel does by itself (Memo): then neither is a
// function of the other's state, but both together are one of the state of both, of how the tensors around lie in beats
// and pages, of how the addresses that are asked for lie in banks and rows, and of the refreshes that fall due. What is
// looked at of these is recorded when a step is simulated and is its key. A channel that is written alone stands aside:
// the kernel is answered after a fixed time, and whether that is so is checked when a step is used.
class JointMemo {
 public:
  JointMemo(engine::Channels& channels, engine::SharedPool& shared) : channels_(channels), shared_(shared) {}

  // Whose steps are asked for from now on.
  void begin(const Setting& setting, WriteAnswer answer);
  // Windows of a stride: a step is one or some of them long, and the last of a round, say, may be shorter.
  std::int64_t stride() const { return partition_->stride(); }
  // Whether there are steps at all: with DDR4 alone.
  bool usable() const { return setting_->is_ddr4() && channels_.size() <= kPorts && !gave_up_; }

  // The place of a kernel and its memory, KERN of F and GI being loaded and no write but of an open burst under way.
  JointState enter(JointRun& joint_run, memory::Memory& memory);
  void leave(const JointState& joint, JointRun& joint_run, memory::Memory& memory) const;
  // The step that begins at `joint`; nullptr if the end of the convolution is too near.
  const JointStep* after(const JointState& joint);
  // Goes over the step. Where a channel that stands aside does not answer as was assumed the place stays as it is.
  bool advance(JointState& joint, const JointStep& step);
  // From now on steps are one stride long; false if they were so before.
  bool shorten() { return length_.shorten(); }
  // Steps kernel and whole memory from one place to the next and throws Mismatch if that is not what the step says.
  void verify(const JointState& before, const JointStep& step, const JointState& after);
  // Hits, misses and conflicts of each port in the channels that stood aside, since begin().
  const std::array<std::array<std::int64_t, 3>, kPorts>& rows() const { return rows_; }

  std::int64_t distinct() const { return distinct_; }          // steps that were simulated since begin() ...
  Cycles recorded_cycles() const { return recorded_cycles_; }  // ... and their cycles

  void evict();
  void evict_except(JointState& joint);  // the state of a place, which gets a new number
  std::size_t memory() const;            // bytes that are remembered, about

 private:
  // What is asked for of a port from a state on: of passes from that of the anchor on, bytes relative to the base of
  // each, or, of OUT, to what the round writes.
  struct Requested {
    bool any = false;
    std::int32_t first_pass = 0, last_pass = 0;
    std::int64_t first = 0, last = 0;
  };
  // What is looked at from a state on.
  struct Observed {
    Lookahead lookahead;
    std::array<ReaderLookahead, 2> readers;
    std::array<Requested, kPorts> requested;
    int strides = 0;  // of the steps from it on, once there is one
  };
  // A kernel and its memory that steps are simulated with, and where they are.
  struct Simulator {
    explicit Simulator(const Setting& setting)
        : memory(setting.make_memory()), joint_run(setting.plan, *memory, setting.memory.port_channel) {}
    std::unique_ptr<memory::Memory> memory;
    JointRun joint_run;
    std::optional<JointState> at;
    AnsweredWrites writes;  // of the step
  };
  struct Before {
    BlockActivities activities;
    ArrayStarved array_starved;
    std::array<memory::PortStats, kPorts> ports;
    std::array<std::int64_t, 2> next_ranges;  // the range that each reader asks for next
    std::int64_t out_groups;                  // pushed
    bool draining;
  };
  static constexpr std::uint32_t kUnknown = KeyMap<2>::kNone;
  using StepKey = Key<7>;

  Anchor anchor(const JointState& joint) const { return setting_->partition.anchor(joint.now, joint.windows); }
  void load_joint(const JointState& joint, JointRun& joint_run, memory::Memory& memory) const;
  JointState joint_state(JointRun& joint_run, memory::Memory& memory);
  std::uint32_t number(const JointState& joint, JointRun& joint_run, memory::Memory& memory);
  // Where a step of so many strides ends, at the latest at the anchor of a interval.
  std::int64_t target(const JointState& joint, int strides) const;
  StepKey key_of(const JointState& joint, std::int64_t end);
  std::int64_t address_signature(std::size_t port, const Requested& requested, const JointState& joint);
  Key<3> refresh_key(std::uint32_t family, const JointState& joint) const;
  bool refreshed(const JointState& joint, Cycles cycles) const;
  const JointStep* find_or_record(const JointState& joint, int strides);
  const JointStep* known(const JointState& joint, std::int64_t end);
  const JointStep* record(const JointState& joint, std::int64_t end);
  bool simulate(const JointState& joint, JointStep& step, Observed& observed);
  JointCounts* intern(JointCounts counts);
  JointParts parts_of(std::uint32_t state) const;
  std::uint32_t number_of(const JointParts& parts);
  void record_step(const JointState& joint, std::uint32_t step);
  Before before();
  void observe(const JointState& joint, const Before& before, const JointStep& step, Observed& observed) const;
  Requested requested_of(std::size_t port, const Anchor& anchor, std::int64_t first_range,
                         std::int64_t last_range) const;
  static void widen(Observed& observed, const Observed& by);

  engine::Channels& channels_;
  engine::SharedPool& shared_;
  const Setting* setting_ = nullptr;
  std::optional<IntervalPartition> partition_;
  StepLength length_;
  std::optional<memory::ClockRatio> clocks_;
  WriteAnswer answer_;
  JointChannels joint_channels_;
  std::optional<TraceBases> bases_;
  engine::Delivery delivery_;
  JointState next_;  // while it goes over a step
  std::array<std::array<std::int64_t, 3>, kPorts> rows_{};
  std::array<std::size_t, kPorts> channel_of_port_{};
  memory::Nck refi_nck_ = 0;
  std::optional<Simulator> simulator_;
  bool gave_up_ = false;

  BeatToBeat beat_to_beat_;
  AlignmentFingerprint alignment_;
  engine::States parts_;  // of states
  using Parts = std::array<std::uint32_t, std::tuple_size_v<JointParts>>;
  KeyMap<3> state_of_;  // by its parts
  std::vector<Parts> states_;
  std::vector<Observed> observed_;  // of each state
  engine::States counts_of_;        // as bytes
  std::deque<JointCounts> counts_;
  engine::Sequences sequences_;  // of passes
  std::deque<JointStep> steps_;
  KeyMap<7> family_of_;                 // by all but the refresh
  std::vector<std::uint32_t> without_;  // refresh: the step of each family, if it is known
  KeyMap<3> with_;                      // by the family and how far away the refresh of each channel is
  JointParts saved_;                    // while a state is numbered
  std::int64_t distinct_ = 0;
  Cycles recorded_cycles_ = 0;
};

}  // namespace weft::fpgpt::exact
