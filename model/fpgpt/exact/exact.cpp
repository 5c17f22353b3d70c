#include "model/fpgpt/exact/exact.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "model/engine/channels.h"
#include "model/engine/pace.h"
#include "model/fpgpt/drain.h"
#include "model/fpgpt/exact/coupled.h"
#include "model/fpgpt/exact/knowledge.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/snapshot.h"
#include "model/fpgpt/exact/walk.h"
#include "model/fpgpt/exact/walked.h"

namespace weft::fpgpt::exact {

using engine::Pace;

namespace {

constexpr Cycles kProgressCycles = 1 << 22;                    // between two calls of on_progress
constexpr std::int64_t kMaxBackoff = 64;                       // anchors at which it is not tried to walk
constexpr std::int64_t kCheckStretches = 1024;                 // between two looks at the memory
constexpr std::int64_t kPacedSteps = 32, kPacedStretches = 8;  // between two looks at the clock

// With as many edges of the DRAM in every kernel cycle as a beat has requests, the one that sees the last of them lies
// in the cycle after it.
bool answers_after_a_fixed_time(const memory::MemoryConfig& config) {
  if (config.kind != memory::MemoryKind::ddr4) return true;
  const Bytes requests = std::max<Bytes>(config.beat_bytes / memory::kAccessBytes, 1);
  const bool mig = config.ddr4.controller == memory::ControllerKind::mig;
  return memory::clocks_of(config).edges_in_a_cycle(requests * (mig ? memory::MigController::kClock : 1));
}

// Kernel and memory are stepped together (Coupled) up to an anchor from which stretches hold; these are walked, and
// behind them both are restored and go on together: by the steps that are known of both (CoupledMemo), or stepped
// again.
class ExactRun {
 public:
  ExactRun(const Plan& plan, const memory::MemoryConfig& config, const engine::ExactOptions& options, Samples* samples,
           Knowledge& knowledge)
      : setting_(plan, config, options.stretch_cycles),
        options_(options),
        memory_(setting_.make_memory()),
        coupled_(setting_.plan, *memory_, config.port_channel),
        knowledge_(begun(knowledge)),
        channels_(knowledge.channels()),
        steps_before_(channels_.simulated_steps()),
        states_(knowledge.states()),
        memo_(knowledge.memo()),
        coupled_memo_(knowledge.coupled()),
        walk_(setting_, channels_),
        replays_(setting_, options.verify, options.seed),
        samples_(samples),
        pace_(knowledge.pace()) {
    watch_borders();
  }

  ExactResult run() {
    std::int64_t backoff = 1, wait = 1;  // anchors until it is tried to walk again
    while (go_on(wait)) {
      wait = 1;
      if (!may_enter()) continue;
      pace(coupled_.now(), coupled_.kernel().inp.im2col.windows_emitted(*setting_.plan));
      if (!remembers()) continue;
      enter();
      const Cycles from = walk_.at().now;
      walk();
      leave();
      watch_borders();
      backoff = walk_.at().now > from ? 1 : std::min(backoff * 2, kMaxBackoff);
      wait = backoff;
      trim();
      if (beyond_memory()) forget();
    }
    return finish();
  }

 private:
  Knowledge& begun(Knowledge& knowledge) const {
    knowledge.begin(setting_, options_);
    return knowledge;
  }

  void report(Cycles now) {
    if (!options_.on_progress || now < reported_ + kProgressCycles) return;
    reported_ = now;
    options_.on_progress(now);
  }

  // Nothing that is forgotten shows anywhere: it is found out again.
  void forget() {
    walked_.count();
    knowledge_.forget();
    walk_.forget();
  }
  // The same in the midst of a walk.
  void forget_but_here() {
    walked_.count();
    states_.forget_but(walk_.at().state, walk_.at().readers);
    memo_.forget();
    coupled_memo_.forget();
    knowledge_.forget_sent();
    walk_.forget();
  }
  bool beyond_memory() const {
    return knowledge_.memory() + walk_.memory() > bytes_of_kernel(options_) || knowledge_.beyond_all();
  }
  void trim() {
    if (!knowledge_.must_trim()) return;
    knowledge_.trim(walk_.at().channels);
  }

  bool remembers() const { return options_.memo_bytes > 0 && way_ == Pace::Way::WithMemo; }
  // Chooses how to go on from cycle `now`.
  void pace(Cycles now, std::int64_t windows) {
    if (!options_.clock || options_.verify > 0 || windows == 0) return;
    const double seconds = options_.clock();
    if (paced_cycle_ > 0) {
      pace_.expect(static_cast<Cycles>(static_cast<double>(now) * static_cast<double>(setting_.cut.windows()) /
                                       static_cast<double>(windows)));
      pace_.add(way_, now - paced_cycle_, seconds - paced_seconds_);
      way_ = pace_.way();
    }
    paced_cycle_ = now;
    paced_seconds_ = seconds;
  }
  std::int64_t next_anchor() { return setting_.cut.next(coupled_.kernel().inp.im2col.windows_emitted(*setting_.plan)); }
  // Goes on so many anchors, kernel and memory together. False: to the end of the convolution.
  bool go_on(std::int64_t anchors) {
    while (anchors > 0) {
      anchors -= walk_together(anchors);
      if (anchors == 0) break;
      if (coupled_.run(next_anchor())) return false;
      report(coupled_.now());
      --anchors;
    }
    return true;
  }
  // The same by what is known of the steps that they take together; returns the anchors that were passed, fewer near
  // the end and where none of that can be known.
  std::int64_t walk_together(std::int64_t anchors) {
    if (!remembers() || !coupled_memo_.usable() || !may_enter()) return 0;
    CoupledPlace place = coupled_memo_.enter(coupled_, *memory_), before;
    std::int64_t anchor = setting_.cut.next(place.windows), passed = 0;
    while (passed < anchors) {
      const CoupledStep* const step = coupled_memo_.after(place);
      if (!step) break;
      const bool sampled = next_border() < place.now + step->cycles;
      if (replays_.more() || sampled) before = place;
      if (!coupled_memo_.advance(place, *step)) {
        if (coupled_memo_.shorten()) continue;
        break;
      }
      if (sampled) sample_step(before, place.now);
      walked_.use(*step);
      account_.walked += step->cycles;
      const std::int64_t stride = coupled_memo_.stride(), strides = ceil_div(step->windows, stride);
      account_.stretches += strides;
      if (replays_.chooses(before.windows, stride, strides)) {
        coupled_memo_.replay(before, *step, place);
      }
      report(place.now);
      if (place.windows == anchor) {
        ++passed;
        anchor = setting_.cut.next(anchor);
      }
      if (account_.stretches % kPacedSteps < strides) {
        pace(place.now, place.windows);
        if (!remembers()) break;
      }
      if (account_.stretches % kCheckStretches >= strides) continue;
      if (knowledge_.must_trim()) knowledge_.trim(place.channels);
      if (beyond_memory()) {
        walked_.count();
        knowledge_.forget_but(place);
        walk_.forget();
      }
    }
    coupled_memo_.leave(place, coupled_, *memory_);
    watch_borders();
    return passed;
  }

  // KERN of F and GI, which no relative state tells.
  bool loaded() {
    const Plan& plan = *setting_.plan;
    const KernSubsystem& kern = coupled_.kernel().kern;
    return plan.gw() || (kern.feeder_fgi.loaded(plan) && kern.reader.done(plan.kern));
  }
  // A walk starts where KERN is loaded and no write waits for its response.
  bool may_enter() {
    const Plan& plan = *setting_.plan;
    const Kernel& kernel = coupled_.kernel();
    if (!answers_after_a_fixed_time(setting_.memory) || !loaded()) return false;
    // The burst that is open for beats may be; every other must have been answered.
    const std::int64_t open = kernel.out.writer.burst_open() ? 1 : 0;
    return kernel.out.port.outstanding == open && !kernel.inp.reader.done(plan.inp);
  }
  void enter() {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      rows.push_back(coupled_.last_address(channels_.number(i)) >> memory::kRowBit);
    }
    walk_.begin(take_snapshot(setting_, coupled_, *memory_, states_, channels_, rows));
  }
  void leave() {
    const Place& at = walk_.at();
    restore(setting_, at, states_, channels_, coupled_, *memory_);
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      coupled_.note_address(channels_.number(i), at.channels[i].row << memory::kRowBit);
    }
  }

  // Goes on as long as stretches hold.
  void walk() {
    Leg* leg = nullptr;
    while ((leg = memo_.after(leg, walk_.at()))) {
      const bool sampled = next_border() < walk_.at().now + leg->kernel->stretch.cycles;
      if (replays_.more() || sampled) before_ = walk_.at();
      if (!walk_.advance(*leg)) return;
      if (sampled) sample_walked();
      walked_.use(*leg);
      late_ += walk_.late();
      account_.walked += leg->kernel->stretch.cycles;
      if (replays_.chooses(before_.windows, setting_.cut.stride())) {
        replays_.replay(*leg, walk_.late(), before_, walk_.at(), states_, channels_);
      }
      report(walk_.at().now);
      if (++account_.stretches % kPacedStretches == 0) {
        pace(walk_.at().now, walk_.at().windows);
        if (!remembers()) return;
      }
      if (account_.stretches % kCheckStretches != 0) continue;
      trim();
      if (beyond_memory()) {
        forget_but_here();
        leg = nullptr;
      }
    }
  }

  Cycles next_border() const {
    if (!samples_ || samples_->activities.size() == samples_->cycles.size()) return kNever;
    return samples_->cycles[samples_->activities.size()];
  }
  // `activities`: of what was stepped; what was walked is added. Returns the next border.
  Cycles sample(BlockActivities activities) {
    walked_.count();
    for (std::size_t block = 0; block < kBlocks; ++block) activities[block] += walked_.activities()[block];
    late_.add_to(activities);
    samples_->activities.push_back(activities);
    return next_border();
  }
  void watch_borders() {
    if (!samples_) return;
    coupled_.at_borders(next_border(), [this](const BlockActivities& activities) { return sample(activities); });
  }
  // Borders in the stretch that was walked last, and is not counted yet: its cycles up to them are stepped again.
  void sample_walked() {
    const std::unique_ptr<memory::Memory> memory = setting_.make_memory();
    Coupled coupled(setting_.plan, *memory, setting_.memory.port_channel);
    restore(setting_, before_, states_, channels_, coupled, *memory);
    sample_stepped(coupled, walk_.at().now);
  }
  // The same of a step that kernel and memory take together.
  void sample_step(const CoupledPlace& place, Cycles end) {
    const std::unique_ptr<memory::Memory> memory = setting_.make_memory();
    Coupled coupled(setting_.plan, *memory, setting_.memory.port_channel);
    coupled_memo_.leave(place, coupled, *memory);
    sample_stepped(coupled, end);
  }
  void sample_stepped(Coupled& coupled, Cycles end) {
    coupled.at_borders(next_border(), [this](const BlockActivities& part) {
      BlockActivities activities = coupled_.activities();
      for (std::size_t block = 0; block < kBlocks; ++block) activities[block] += part[block];
      return sample(activities);
    });
    coupled.run_past_borders(end);
  }

  ExactResult finish() {
    const Cycles drain = drain_cycles(coupled_.kernel(), *memory_, coupled_.now());
    memory_->finish();
    ExactResult result;
    walked_.count();
    result.convolution = collect(coupled_.kernel(), coupled_.activities(), coupled_.now(), *memory_);
    walked_.add_to(result.convolution);
    late_.add_to(result.convolution.activities);
    result.convolution.ports[static_cast<std::size_t>(Port::Out)].wait_cycles += late_.waits;
    add_rows(walk_.rows(), result.convolution);
    add_rows(coupled_memo_.rows(), result.convolution);
    result.convolution.drain_cycles = drain;
    while (next_border() == result.convolution.cycles) samples_->activities.push_back(result.convolution.activities);
    derive(result.convolution, *setting_.plan);
    result.convolution.skipped_cycles = account_.walked + coupled_.quiet();
    account_.simulated = coupled_.stepped() + coupled_.quiet();
    account_.learnt = memo_.learnt_cycles() + coupled_memo_.learnt_cycles();
    account_.learnt_together = coupled_memo_.learnt_cycles();
    account_.distinct = memo_.distinct() + coupled_memo_.distinct();
    account_.memory_steps = channels_.simulated_steps() - steps_before_;
    account_.verified = replays_.verified();
    result.account = account_;
    return result;
  }

  Setting setting_;
  const engine::ExactOptions& options_;
  std::unique_ptr<memory::Memory> memory_;
  Coupled coupled_;
  Knowledge& knowledge_;
  engine::Channels& channels_;
  std::int64_t steps_before_;
  KernelStates& states_;
  Memo& memo_;
  CoupledMemo& coupled_memo_;
  Walk walk_;
  Replays replays_;
  Walked walked_;
  LateResponses late_;  // of the stretches that were walked
  Place before_;        // the stretch that is replayed
  Samples* samples_;
  engine::ExactAccount account_;
  Cycles reported_ = 0;
  Pace& pace_;
  Pace::Way way_ = Pace::Way::WithMemo;
  Cycles paced_cycle_ = 0;    // cycle at which pace() was called last, 0 before, ...
  double paced_seconds_ = 0;  // ... and what the clock said
};

}  // namespace

ExactResult run_exact(const Plan& plan, const memory::MemoryConfig& memory, const engine::ExactOptions& options,
                      Samples* samples, Knowledge* knowledge) {
  Knowledge own;
  return ExactRun(plan, memory, options, samples, knowledge ? *knowledge : own).run();
}

}  // namespace weft::fpgpt::exact
