#include "model/fpgpt/exact/exact.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "model/engine/channels.h"
#include "model/fpgpt/drain.h"
#include "model/fpgpt/exact/coupled.h"
#include "model/fpgpt/exact/knowledge.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/snapshot.h"
#include "model/fpgpt/exact/walk.h"
#include "model/fpgpt/exact/walked.h"

namespace weft::fpgpt::exact {

namespace {

constexpr Cycles kProgressCycles = 1 << 22;     // between two calls of on_progress
constexpr std::int64_t kMaxBackoff = 64;        // anchors at which it is not tried to walk
constexpr std::int64_t kCheckStretches = 1024;  // between two looks at the memory

// With as many edges of the DRAM in every kernel cycle as a beat has requests, the one that sees the last of them lies
// in the cycle after it.
bool answers_after_a_fixed_time(const memory::MemoryConfig& config) {
  if (config.kind != memory::MemoryKind::ddr4) return true;
  const Bytes requests = std::max<Bytes>(config.beat_bytes / memory::kAccessBytes, 1);
  return memory::ClockRatio(config.kernel_clock, config.ddr4.data_rate_mtps).edges_in_a_cycle(requests);
}

// Kernel and memory are stepped together (Coupled) up to an anchor from which stretches hold; these are walked, and
// behind them both are restored and stepped again.
class ExactRun {
 public:
  ExactRun(const Plan& plan, const memory::MemoryConfig& config, const engine::ExactOptions& options, Samples* samples,
           Knowledge& knowledge)
      : setting_(plan, config, options.stretch_cycles),
        options_(options),
        memory_(memory::make_memory(config)),
        coupled_(setting_.plan, *memory_, config.port_channel),
        knowledge_(begun(knowledge)),
        channels_(knowledge.channels()),
        steps_before_(channels_.simulated_steps()),
        states_(knowledge.states()),
        memo_(knowledge.memo()),
        walk_(setting_, channels_),
        replays_(setting_, options.verify, options.seed),
        samples_(samples) {
    watch_borders();
  }

  ExactResult run() {
    std::int64_t backoff = 1, wait = 1;
    while (!coupled_.run(setting_.cut.next(coupled_.kernel().inp.im2col.windows_emitted(*setting_.plan)))) {
      report(coupled_.now());
      if (--wait > 0 || !may_enter()) continue;
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
    walk_.settle();
    walked_.count();
    states_.forget_but(walk_.at().state, walk_.at().readers);
    memo_.forget();
    knowledge_.forget_sent();
    walk_.forget();
  }
  bool beyond_memory() const { return knowledge_.memory() + walk_.memory() > bytes_of_kernel(options_); }
  void trim() {
    if (!knowledge_.must_trim()) return;
    walk_.settle();
    knowledge_.trim(walk_.at().channels);
  }

  // A walk starts where KERN of F and GI is loaded and no write waits for its response.
  bool may_enter() {
    const Plan& plan = *setting_.plan;
    const Kernel& kernel = coupled_.kernel();
    if (!answers_after_a_fixed_time(setting_.memory)) return false;
    if (!plan.gw() && (!kernel.kern.feeder_fgi.loaded(plan) || !kernel.kern.reader.done(plan.kern))) return false;
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
      const bool replayed = options_.verify > 0 && replays_.chooses(walk_.at());
      const bool sampled = next_border() < walk_.at().now + leg->kernel->stretch.cycles;
      if (replayed || sampled) before_ = walk_.at();
      if (!walk_.advance(*leg)) return;
      if (sampled) sample_walked();
      walked_.use(*leg);
      account_.walked += leg->kernel->stretch.cycles;
      if (replayed) replays_.replay(*leg, before_, walk_.at(), states_, channels_);
      report(walk_.at().now);
      if (++account_.stretches % kCheckStretches != 0) continue;
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
    samples_->activities.push_back(activities);
    return next_border();
  }
  void watch_borders() {
    if (!samples_) return;
    coupled_.at_borders(next_border(), [this](const BlockActivities& activities) { return sample(activities); });
  }
  // Borders in the stretch that was walked last, and is not counted yet: its cycles up to them are stepped again.
  void sample_walked() {
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(setting_.memory);
    Coupled coupled(setting_.plan, *memory, setting_.memory.port_channel);
    restore(setting_, before_, states_, channels_, coupled, *memory);
    coupled.at_borders(next_border(), [this](const BlockActivities& part) {
      BlockActivities activities = coupled_.activities();
      for (std::size_t block = 0; block < kBlocks; ++block) activities[block] += part[block];
      return sample(activities);
    });
    coupled.run_past_borders(walk_.at().now);
  }

  ExactResult finish() {
    const Cycles drain = drain_cycles(coupled_.kernel(), *memory_, coupled_.now());
    memory_->finish();
    ExactResult result;
    walked_.count();
    result.convolution = collect(coupled_.kernel(), coupled_.activities(), coupled_.now(), *memory_);
    walked_.add_to(result.convolution, walk_.rows());
    result.convolution.drain_cycles = drain;
    while (next_border() == result.convolution.cycles) samples_->activities.push_back(result.convolution.activities);
    derive(result.convolution, *setting_.plan);
    result.convolution.skipped_cycles = account_.walked + coupled_.quiet();
    account_.simulated = coupled_.stepped() + coupled_.quiet();
    account_.learnt = memo_.learnt_cycles();
    account_.distinct = memo_.distinct();
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
  Walk walk_;
  Replays replays_;
  Walked walked_;
  Place before_;  // the stretch that is replayed
  Samples* samples_;
  engine::ExactAccount account_;
  Cycles reported_ = 0;
};

}  // namespace

ExactResult run_exact(const Plan& plan, const memory::MemoryConfig& memory, const engine::ExactOptions& options,
                      Samples* samples, Knowledge* knowledge) {
  Knowledge own;
  return ExactRun(plan, memory, options, samples, knowledge ? *knowledge : own).run();
}

}  // namespace weft::fpgpt::exact
