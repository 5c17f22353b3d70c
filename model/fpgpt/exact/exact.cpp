#include "model/fpgpt/exact/exact.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "model/engine/channels.h"
#include "model/engine/pace.h"
#include "model/fpgpt/drain.h"
#include "model/fpgpt/exact/joint_run.h"
#include "model/fpgpt/exact/memo_cache.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/replayed_counts.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/snapshot.h"
#include "model/fpgpt/exact/verifier.h"

namespace weft::fpgpt::exact {

using engine::Pace;

namespace {

constexpr Cycles kProgressCycles = 1 << 22;                    // between calls of on_progress
constexpr std::int64_t kMaxBackoff = 64;                       // boundaries without a try of the memo
constexpr std::int64_t kCheckIntervals = 1024;                 // between checks of the memory limit
constexpr std::int64_t kPacedSteps = 32, kPacedIntervals = 8;  // between readings of the clock

// Returns true if each kernel cycle has as many DRAM clock edges as a beat has requests: then the last edge of a beat
// is in the next cycle.
bool answers_after_a_fixed_time(const memory::MemoryConfig& config) {
  if (config.kind != memory::MemoryKind::ddr4) return true;
  const Bytes requests =
      std::max<Bytes>(config.beat_bytes_of(static_cast<std::size_t>(Port::Out)) / memory::kAccessBytes, 1);
  const bool mig = config.ddr4.controller == memory::ControllerKind::mig;
  return memory::clocks_of(config).edges_in_a_cycle(requests * (mig ? memory::MigController::kClock : 1));
}

// Main loop of the exact rung. Kernel and memory advance together (JointRun) to an interval boundary from which memo
// entries hold. These are replayed (Replay). Then both are restored and advance by joint steps (JointMemo) or by
// stepping.
class ExactRun {
 public:
  ExactRun(const Plan& plan, const memory::MemoryConfig& config, const engine::ExactOptions& options, Samples* samples,
           MemoCache& cache)
      : setting_(plan, config, options.interval_cycles),
        options_(options),
        memory_(setting_.make_memory()),
        joint_run_(setting_.plan, *memory_, config.port_channel),
        cache_(begun(cache)),
        channels_(cache.channels()),
        steps_before_(channels_.simulated_steps()),
        states_(cache.states()),
        memo_(cache.memo()),
        joint_memo_(cache.joint_memo()),
        replay_(setting_, channels_),
        verifier_(setting_, options.verify, options.seed),
        samples_(samples),
        pace_(cache.pace()) {
    const std::shared_ptr<memory::MigClocks> clocks = cache.clocks(config, options);
    if (clocks) static_cast<memory::Ddr4Memory&>(*memory_).remember(clocks);
    watch_samples();
  }

  ExactResult run() {
    std::int64_t backoff = 1, wait = 1;  // boundaries until the memo is tried again
    while (go_on(wait)) {
      wait = 1;
      if (!may_enter()) continue;
      pace(joint_run_.now(), joint_run_.kernel().inp.im2col.windows_emitted(*setting_.plan));
      if (!remembers()) continue;
      enter();
      const Cycles from = replay_.at().now;
      replay();
      leave();
      watch_samples();
      backoff = replay_.at().now > from ? 1 : std::min(backoff * 2, kMaxBackoff);
      wait = backoff;
      trim();
      if (over_memory()) evict();
    }
    return finish();
  }

 private:
  MemoCache& begun(MemoCache& cache) const {
    cache.begin(setting_, options_);
    return cache;
  }

  void report(Cycles now) {
    if (!options_.on_progress || now < reported_ + kProgressCycles) return;
    reported_ = now;
    options_.on_progress(now);
  }

  // Evicts all entries. Results do not change: entries are recorded again.
  void evict() {
    replayed_.count();
    cache_.evict();
    replay_.evict();
  }
  // Evicts all entries but the states of the replay in progress.
  void evict_except_here() {
    replayed_.count();
    states_.evict_except(replay_.at().state, replay_.at().readers);
    memo_.evict();
    joint_memo_.evict();
    cache_.evict_traces();
    replay_.evict();
  }
  bool over_memory() const {
    return cache_.memory() + replay_.memory() > bytes_of_kernel(options_) || cache_.over_limit();
  }
  void trim() {
    if (!cache_.must_trim()) return;
    cache_.trim(replay_.at().channels);
  }

  bool remembers() const { return options_.memo_bytes > 0 && way_ == Pace::Way::WithMemo; }
  // Chooses the way from cycle `now` on.
  void pace(Cycles now, std::int64_t windows) {
    if (!options_.clock || options_.verify > 0 || windows == 0) return;
    const double seconds = options_.clock();
    if (paced_cycle_ > 0) {
      pace_.expect(static_cast<Cycles>(static_cast<double>(now) * static_cast<double>(setting_.partition.windows()) /
                                       static_cast<double>(windows)));
      pace_.add(way_, now - paced_cycle_, seconds - paced_seconds_);
      way_ = pace_.way();
    }
    paced_cycle_ = now;
    paced_seconds_ = seconds;
  }
  std::int64_t next_boundary() {
    return setting_.partition.next(joint_run_.kernel().inp.im2col.windows_emitted(*setting_.plan));
  }
  // Advances kernel and memory together over `boundaries` boundaries. Returns false at the end of the convolution.
  bool go_on(std::int64_t boundaries) {
    while (boundaries > 0) {
      boundaries -= replay_joint(boundaries);
      if (boundaries == 0) break;
      if (joint_run_.run(next_boundary())) return false;
      report(joint_run_.now());
      --boundaries;
    }
    return true;
  }
  // Replays joint steps over up to `boundaries` boundaries, fewer if no step applies; returns the boundaries passed.
  std::int64_t replay_joint(std::int64_t boundaries) {
    if (!remembers() || !joint_memo_.usable() || !may_enter()) return 0;
    JointState joint = joint_memo_.enter(joint_run_, *memory_), before;
    std::int64_t boundary = setting_.partition.next(joint.windows), passed = 0;
    while (passed < boundaries) {
      const JointStep* const step = joint_memo_.after(joint);
      if (!step) break;
      const bool sampled = next_sample() < joint.now + step->cycles;
      if (verifier_.more() || sampled) before = joint;
      if (!joint_memo_.advance(joint, *step)) {
        if (joint_memo_.shorten()) continue;
        break;
      }
      if (sampled) sample_step(before, joint.now);
      replayed_.use(*step);
      account_.replayed += step->cycles;
      const std::int64_t stride = joint_memo_.stride(), strides = ceil_div(step->windows, stride);
      account_.intervals += strides;
      if (verifier_.chooses(before.windows, stride, strides)) {
        joint_memo_.verify(before, *step, joint);
      }
      report(joint.now);
      if (joint.windows == boundary) {
        ++passed;
        boundary = setting_.partition.next(boundary);
      }
      if (account_.intervals % kPacedSteps < strides) {
        pace(joint.now, joint.windows);
        if (!remembers()) break;
      }
      if (account_.intervals % kCheckIntervals >= strides) continue;
      if (cache_.must_trim()) cache_.trim(joint.channels);
      if (over_memory()) {
        replayed_.count();
        cache_.evict_except(joint);
        replay_.evict();
      }
    }
    joint_memo_.leave(joint, joint_run_, *memory_);
    watch_samples();
    return passed;
  }

  // Returns true if KERN of F and GI is loaded, which relative states do not contain.
  bool loaded() {
    const Plan& plan = *setting_.plan;
    const KernSubsystem& kern = joint_run_.kernel().kern;
    return plan.gw() || (kern.feeder_fgi.loaded(plan) && kern.reader.done(plan.kern));
  }
  // Returns true if a replay may start: KERN is loaded and no write awaits its response.
  bool may_enter() {
    const Plan& plan = *setting_.plan;
    const Kernel& kernel = joint_run_.kernel();
    if (!answers_after_a_fixed_time(setting_.memory) || !loaded()) return false;
    // Only a burst that is open for beats may be unanswered.
    const std::int64_t open = kernel.out.writer.burst_open() ? 1 : 0;
    return kernel.out.port.outstanding == open && !kernel.inp.reader.done(plan.inp);
  }
  void enter() {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      rows.push_back(joint_run_.last_address(channels_.number(i)) >> memory::kRowBit);
    }
    replay_.begin(take_snapshot(setting_, joint_run_, *memory_, states_, channels_, rows));
  }
  void leave() {
    const SimState& at = replay_.at();
    restore(setting_, at, states_, channels_, joint_run_, *memory_);
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      joint_run_.note_address(channels_.number(i), at.channels[i].row << memory::kRowBit);
    }
  }

  // Replays intervals as long as entries hold.
  void replay() {
    while (MemoEntry* const entry = memo_.find(replay_.at())) {
      const bool sampled = next_sample() < replay_.at().now + entry->kernel->interval.cycles;
      if (verifier_.more() || sampled) before_ = replay_.at();
      if (!replay_.advance(*entry)) return;
      if (sampled) sample_replayed();
      replayed_.use(*entry);
      late_ += replay_.late();
      account_.replayed += entry->kernel->interval.cycles;
      if (verifier_.chooses(before_.windows, setting_.partition.stride())) {
        verifier_.verify(*entry, replay_.late(), before_, replay_.at(), states_, channels_);
      }
      report(replay_.at().now);
      if (++account_.intervals % kPacedIntervals == 0) {
        pace(replay_.at().now, replay_.at().windows);
        if (!remembers()) return;
      }
      if (account_.intervals % kCheckIntervals != 0) continue;
      trim();
      if (over_memory()) evict_except_here();
    }
  }

  Cycles next_sample() const {
    if (!samples_ || samples_->activities.size() == samples_->cycles.size()) return kNever;
    return samples_->cycles[samples_->activities.size()];
  }
  // Adds the replayed activities to the stepped ones, `activities`. Returns the cycle of the next sample.
  Cycles sample(BlockActivities activities) {
    replayed_.count();
    for (std::size_t block = 0; block < kBlocks; ++block) activities[block] += replayed_.activities()[block];
    late_.add_to(activities);
    samples_->activities.push_back(activities);
    return next_sample();
  }
  void watch_samples() {
    if (!samples_) return;
    joint_run_.sample_at(next_sample(), [this](const BlockActivities& activities) { return sample(activities); });
  }
  // Takes the samples in the last interval replayed, which is not counted yet, by simulating it.
  void sample_replayed() {
    const std::unique_ptr<memory::Memory> memory = setting_.make_memory();
    JointRun joint_run(setting_.plan, *memory, setting_.memory.port_channel);
    restore(setting_, before_, states_, channels_, joint_run, *memory);
    sample_stepped(joint_run, replay_.at().now);
  }
  // Takes the samples in a joint step by simulating it.
  void sample_step(const JointState& joint, Cycles end) {
    const std::unique_ptr<memory::Memory> memory = setting_.make_memory();
    JointRun joint_run(setting_.plan, *memory, setting_.memory.port_channel);
    joint_memo_.leave(joint, joint_run, *memory);
    sample_stepped(joint_run, end);
  }
  void sample_stepped(JointRun& joint_run, Cycles end) {
    joint_run.sample_at(next_sample(), [this](const BlockActivities& part) {
      BlockActivities activities = joint_run_.activities();
      for (std::size_t block = 0; block < kBlocks; ++block) activities[block] += part[block];
      return sample(activities);
    });
    joint_run.run_past_samples(end);
  }

  ExactResult finish() {
    const Cycles drain = drain_cycles(joint_run_.kernel(), *memory_, joint_run_.now());
    memory_->finish();
    ExactResult result;
    replayed_.count();
    result.convolution = collect(joint_run_.kernel(), joint_run_.activities(), joint_run_.now(), *memory_);
    replayed_.add_to(result.convolution);
    late_.add_to(result.convolution.activities);
    result.convolution.ports[static_cast<std::size_t>(Port::Out)].wait_cycles += late_.waits;
    add_rows(replay_.rows(), result.convolution);
    add_rows(joint_memo_.rows(), result.convolution);
    result.convolution.drain_cycles = drain;
    while (next_sample() == result.convolution.cycles) samples_->activities.push_back(result.convolution.activities);
    derive(result.convolution, *setting_.plan);
    result.convolution.skipped_cycles = account_.replayed + joint_run_.quiet();
    account_.simulated = joint_run_.stepped() + joint_run_.quiet();
    account_.recorded = memo_.recorded_cycles() + joint_memo_.recorded_cycles();
    account_.recorded_joint = joint_memo_.recorded_cycles();
    account_.distinct = memo_.distinct() + joint_memo_.distinct();
    account_.memory_steps = channels_.simulated_steps() - steps_before_;
    account_.verified = verifier_.verified();
    result.account = account_;
    return result;
  }

  Setting setting_;
  const engine::ExactOptions& options_;
  std::unique_ptr<memory::Memory> memory_;
  JointRun joint_run_;
  MemoCache& cache_;
  engine::Channels& channels_;
  std::int64_t steps_before_;
  KernelStates& states_;
  Memo& memo_;
  JointMemo& joint_memo_;
  Replay replay_;
  Verifier verifier_;
  ReplayedCounts replayed_;
  LateResponses late_;  // of replayed intervals
  SimState before_;     // start of the last interval replayed
  Samples* samples_;
  engine::ExactAccount account_;
  Cycles reported_ = 0;
  Pace& pace_;
  Pace::Way way_ = Pace::Way::WithMemo;
  Cycles paced_cycle_ = 0;    // of the last call of pace(), 0: none
  double paced_seconds_ = 0;  // of the clock then
};

}  // namespace

ExactResult run_exact(const Plan& plan, const memory::MemoryConfig& memory, const engine::ExactOptions& options,
                      Samples* samples, MemoCache* cache) {
  MemoCache own;
  return ExactRun(plan, memory, options, samples, cache ? *cache : own).run();
}

}  // namespace weft::fpgpt::exact
