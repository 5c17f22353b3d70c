#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "model/core/intern.h"
#include "model/engine/channels.h"
#include "model/engine/consumption_schedule.h"
#include "model/engine/delivery.h"
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

// Memoised steps of kernel and memory together, for a memory too slow for Memo: then neither depends on its own state
// only, but both depend on the joint state, the beat and page alignment of the tensors, the bank/row signature of the
// requests, and the refreshes due. The part of these that a step uses is recorded when it is simulated and forms its
// key. Convolutions that differ only in the addresses of their tensors share steps. A write-only channel is decoupled:
// the kernel sees a fixed write latency, and each replay of a step verifies this assumption.
class JointMemo {
 public:
  JointMemo(engine::Channels& channels, engine::SharedPool& shared) : channels_(channels), shared_(shared) {}

  // Begins a convolution.
  void begin(const Setting& setting, WriteAnswer answer);
  // Returns the unit of step lengths, windows. Steps at the end of a round may be shorter.
  std::int64_t stride() const { return partition_->stride(); }
  // Returns true if steps can be used; requires DDR4.
  bool usable() const { return setting_->is_ddr4() && channels_.size() <= kPorts && !gave_up_; }

  // Returns the joint state. KERN of F and GI must be loaded, and only an open burst may be unanswered.
  JointState enter(JointRun& joint_run, memory::Memory& memory);
  void leave(const JointState& joint, JointRun& joint_run, memory::Memory& memory) const;
  // Returns the step from `joint` on; nullptr too close to the end of the convolution.
  const JointStep* after(const JointState& joint);
  // Replays the step. Returns false, and keeps `joint`, if a decoupled channel answers differently than assumed.
  bool advance(JointState& joint, const JointStep& step);
  // Limits steps to one stride for the rest of the convolution; returns false if they were so already.
  bool shorten() { return length_.shorten(); }
  // Simulates kernel and whole memory from one state to the next. Throws Mismatch if the step differs.
  void verify(const JointState& before, const JointStep& step, const JointState& after);
  // Row hits, misses and conflicts of each port in decoupled channels, since begin().
  const std::array<std::array<std::int64_t, 3>, kPorts>& rows() const { return rows_; }

  std::int64_t distinct() const { return distinct_; }          // steps simulated since begin()
  Cycles recorded_cycles() const { return recorded_cycles_; }  // cycles of these

  void evict();
  void evict_except(JointState& joint);  // renumbers the state of `joint`
  std::size_t memory() const;            // approximate bytes

 private:
  // Addresses that a port requests from a state on: passes relative to the anchor's, and bytes relative to the base of
  // each (OUT: to the first word that the round writes).
  struct Requested {
    bool any = false;
    std::int32_t first_pass = 0, last_pass = 0;
    std::int64_t first = 0, last = 0;
  };
  // Part of the tensors and addresses that the steps from a state use.
  struct Observed {
    Lookahead lookahead;
    std::array<ReaderLookahead, 2> readers;
    std::array<Requested, kPorts> requested;
    int strides = 0;  // of the steps from this state; 0: no step yet
  };
  // Kernel and memory for the simulation of steps, and their current state.
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
    std::array<std::int64_t, 2> next_ranges;  // next range that each reader requests
    std::int64_t out_groups;                  // pushed
    bool draining;
  };
  static constexpr std::uint32_t kUnknown = KeyMap<2>::kNone;
  using StepKey = Key<7>;

  Anchor anchor(const JointState& joint) const { return setting_->partition.anchor(joint.now, joint.windows); }
  void load_joint(const JointState& joint, JointRun& joint_run, memory::Memory& memory) const;
  JointState joint_state(JointRun& joint_run, memory::Memory& memory);
  std::uint32_t number(const JointState& joint, JointRun& joint_run, memory::Memory& memory);
  // Returns the windows at the end of a step, which does not cross an interval boundary.
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
  JointState next_;  // buffer of advance()
  std::array<std::array<std::int64_t, 3>, kPorts> rows_{};
  std::array<std::size_t, kPorts> channel_of_port_{};
  memory::Nck refi_nck_ = 0;
  std::optional<Simulator> simulator_;
  bool gave_up_ = false;

  BeatToBeat beat_to_beat_;
  AlignmentFingerprint alignment_;
  States parts_;  // of states
  using Parts = std::array<std::uint32_t, std::tuple_size_v<JointParts>>;
  KeyMap<3> state_of_;  // key: parts
  std::vector<Parts> states_;
  std::vector<Observed> observed_;  // per state
  States counts_of_;                // as bytes
  std::deque<JointCounts> counts_;
  Sequences sequences_;  // of passes
  std::deque<JointStep> steps_;
  KeyMap<7> family_of_;                 // key: all but the refresh
  std::vector<std::uint32_t> without_;  // step without refresh of each family, or kUnknown
  KeyMap<3> with_;                      // step with refresh; key: family, distance to the refresh of each channel
  JointParts saved_;                    // buffer of number()
  std::int64_t distinct_ = 0;
  Cycles recorded_cycles_ = 0;
};

}  // namespace weft::fpgpt::exact
