#include "model/fpgpt/exact/memo.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/core/error.h"
#include "model/engine/return_queue.h"
#include "model/fpgpt/exact/block_runs.h"
#include "model/fpgpt/exact/read_ahead.h"

namespace weft::fpgpt::exact {

using engine::RequestTrace;

namespace {

constexpr std::uint32_t kNone = KeyMap<2>::kNone;

}  // namespace

void Memo::evict() {
  entries_.clear();
  entry_of_ = {};
  alignment_.evict();
  kernel_intervals_.clear();
  kernel_interval_of_ = {};
  for (std::size_t i = 0; i < 2; ++i) {
    reader_intervals_[i].clear();
    reader_interval_of_[i] = {};
  }
  trace_of_ports_ = {};
  recorded_bytes_ = 0;
}

std::size_t Memo::memory() const {
  return memory_of(kernel_interval_of_) + memory_of(reader_interval_of_[0]) + memory_of(reader_interval_of_[1]) +
         trace_of_ports_.bucket_count() * 48 + recorded_bytes_ + entries_.size() * (sizeof(MemoEntry) + 64) +
         memory_of(entry_of_) + alignment_.memory();
}

MemoEntry* Memo::find(const SimState& sim) {
  if (setting_->partition.next(sim.windows) > setting_->plan->inp.count()) return nullptr;
  const Anchor anchor = sim.anchor(setting_->partition);
  std::uint32_t known = kernel_interval_of_.find(key_of(sim));
  if (known == kNone) {
    if (!record(sim)) return nullptr;
    known = kernel_interval_of_.find(key_of(sim));
  }
  MemoEntry entry;
  entry.kernel = kernel_intervals_[known].get();
  if (!fits(*setting_->plan, anchor, entry.kernel->interval.footprint)) return nullptr;
  for (std::size_t i = 0; i < 2; ++i) {
    entry.readers[i] = find_reader(i, sim, *entry.kernel);
    if (!entry.readers[i]) return nullptr;
  }
  const Key<2> parts{two(entry.kernel->number, entry.readers[0]->number), entry.readers[1]->number};
  const std::uint32_t number = entry_of_.number(parts, static_cast<std::uint32_t>(entries_.size()));
  if (number == entries_.size()) {
    for (std::size_t i = 0; i < channels_.size(); ++i) entry.traces.push_back(trace_of(entry, i));
    entries_.push_back(std::make_unique<MemoEntry>(std::move(entry)));
  }
  return entries_[number].get();
}

const ReaderInterval* Memo::find_reader(std::size_t port, const SimState& sim, const KernelInterval& kernel) {
  std::uint32_t known = reader_interval_of_[port].find(key_of(port, sim, kernel));
  if (known == kNone) {
    if (!record_reader(port, sim, kernel)) return nullptr;
    known = reader_interval_of_[port].find(key_of(port, sim, kernel));
  }
  return reader_intervals_[port][known].get();
}

Key<2> Memo::key_of(const SimState& sim) {
  const std::int64_t round = sim.anchor(setting_->partition).round;
  const std::int64_t windows = setting_->partition.next(sim.windows) - sim.windows;
  const Lookahead& lookahead = states_.lookahead(sim.state);
  return Key<2>{two(sim.state, alignment_.front(round, lookahead)),
                two(static_cast<std::uint32_t>(windows), lookahead.out ? alignment_.out(round) : 0)};
}

// A reader's state is relative to the round or pass, so that the key needs the distance to the next boundary.
Key<2> Memo::key_of(std::size_t port, const SimState& sim, const KernelInterval& kernel) {
  const Plan& plan = *setting_->plan;
  const Anchor from = sim.anchor(setting_->partition), to = sim.end(setting_->partition, 0);
  const std::uint32_t state = sim.readers[port];
  const std::uint32_t pages = alignment_.pages(port, from.round, states_.lookahead(port, state));
  const std::int64_t forward = port == 0 ? to.round - from.round : to.pass(plan) - from.pass(plan);
  return Key<2>{two(state, pages), two(static_cast<std::uint32_t>(forward), kernel.schedules[port]->number)};
}

bool Memo::record(const SimState& sim) {
  const Plan& plan = *setting_->plan;
  const Anchor anchor = sim.anchor(setting_->partition);
  const std::int64_t windows = setting_->partition.next(sim.windows) - sim.windows;
  std::string bytes = states_.bytes(sim.state);
  auto made = std::make_unique<KernelInterval>();
  Interval& interval = made->interval;
  Kernel kernel = run_unconstrained(setting_->plan, bytes, anchor, windows, answer_, interval);
  recorded_cycles_ += interval.cycles;
  const std::int64_t rounds_seen = (interval.footprint.windows - 1) / setting_->partition.round_windows();
  const Lookahead& from = states_.lookahead(sim.state);
  if (std::max({rounds_seen, std::int64_t{interval.footprint.passes}, std::int64_t{from.rounds_back} + 1,
                std::int64_t{from.passes_back} + 1}) > kMaxLookahead ||
      !fits(plan, anchor, interval.footprint)) {
    return false;
  }

  const Anchor end = sim.end(setting_->partition, interval.cycles);
  interval.next = states_.number(kernel, end);
  Lookahead& lookahead = states_.lookahead(sim.state);
  lookahead.rounds = static_cast<std::uint8_t>(std::max<std::int64_t>(lookahead.rounds, rounds_seen));
  lookahead.passes = static_cast<std::uint8_t>(std::max<std::int64_t>(lookahead.passes, interval.footprint.passes - 1));
  // OUT's state is relative to the words of the round, so that its end reveals their number.
  const bool uneven = !plan.gw() && plan.last_group_rows != plan.alpha.y;
  lookahead.out = lookahead.out || interval.out_moved || (uneven && end.round > anchor.round);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool more = i == 0 || plan.gw();  // KERN of F and GI is loaded
    made->schedules[i] =
        shared_.keep(engine::ConsumptionSchedule(std::move(interval.consumed[i]), interval.cycles, more));
  }
  made->out = shared_.keep(RequestTrace::of(interval.cycles, {&interval.out}, beat_bytes_of(plan.alpha)));
  if (traces_hold_all()) interval.out = {};
  recorded_bytes_ += sizeof(KernelInterval) + 64 + interval.out.events.capacity() * sizeof(engine::Event) +
                     interval.answers.capacity() * sizeof(engine::Run);
  made->number = static_cast<std::uint32_t>(kernel_intervals_.size());
  kernel_interval_of_.number(key_of(sim), made->number);
  kernel_intervals_.push_back(std::move(made));
  ++distinct_;
  return true;
}

bool Memo::record_reader(std::size_t port, const SimState& sim, const KernelInterval& kernel) {
  const Plan& plan = *setting_->plan;
  const Cycles cycles = kernel.interval.cycles;
  std::string bytes = states_.bytes(port, sim.readers[port]);
  auto made = std::make_unique<ReaderInterval>();
  ReadAhead& ahead = made->ahead;
  const ReaderState after = run_reader(plan, static_cast<Port>(port), bytes, sim.anchor(setting_->partition), cycles,
                                       kernel.schedules[port]->runs(), ahead);
  const std::int64_t seen = (ahead.ranges_seen - 1) / (port == 0 ? setting_->partition.round_windows() : 1);
  if (seen > kMaxLookahead || states_.lookahead(port, sim.readers[port]).back >= kMaxLookahead) return false;
  ahead.next = states_.number(port, after, sim.end(setting_->partition, cycles));
  std::uint8_t& lookahead = states_.lookahead(port, sim.readers[port]).ahead;
  lookahead = static_cast<std::uint8_t>(std::max<std::int64_t>(lookahead, seen));
  made->trace = shared_.keep(RequestTrace::of(cycles, {&ahead.transfers}, beat_bytes_of(plan.alpha)));
  if (traces_hold_all()) ahead.transfers = {};
  recorded_bytes_ += sizeof(ReaderInterval) + 64 + ahead.transfers.events.capacity() * sizeof(engine::Event);
  made->number = static_cast<std::uint32_t>(reader_intervals_[port].size());
  reader_interval_of_[port].number(key_of(port, sim, kernel), made->number);
  reader_intervals_[port].push_back(std::move(made));
  return true;
}

const RequestTrace* Memo::trace_of(const MemoEntry& entry, std::size_t channel) {
  const auto own = [&](std::size_t port) { return port < 2 ? entry.readers[port]->trace : entry.kernel->out; };
  const std::vector<std::size_t>& ports = channels_.ports(channel);
  if (ports.size() == 1) return own(ports.front());
  Key<4> key{channel};
  for (const std::size_t port : ports) key.set(1 + port, own(port)->number);
  auto found = trace_of_ports_.find(key);
  if (found == trace_of_ports_.end()) {
    std::vector<const engine::Transfers*> transfers;
    transfers.reserve(ports.size());
    for (const std::size_t port : ports) {
      transfers.push_back(port < 2 ? &entry.readers[port]->ahead.transfers : &entry.kernel->interval.out);
    }
    const RequestTrace* const trace =
        shared_.keep(RequestTrace::of(entry.kernel->interval.cycles, transfers, beat_bytes_of(setting_->plan->alpha)));
    found = trace_of_ports_.emplace(key, trace).first;
  }
  return found->second;
}

namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
constexpr Cycles kPatience = 1 << 22;

// Run of a kernel whose memory never stalls it: read data is always available, and readers request nothing.
class UnconstrainedRun {
 public:
  UnconstrainedRun(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor,
                   WriteAnswer answer, Interval& interval)
      : plan_(*plan), anchor_(anchor), interval_(interval), writes_(*plan, anchor, answer), kernel_(plan) {
    Relative state(bytes, true);
    kernel_.relative(state, anchor);
    for (stream::ReadPort* port : {&kernel_.inp.port, &kernel_.kern.port}) {
      port->ready = false;
      port->data.push(engine::kLongAgo, kPlenty);
    }
  }

  void run(std::int64_t windows) {
    const std::int64_t target = kernel_.inp.im2col.windows_emitted(plan_) + windows;
    BlockRuns runs(kernel_, interval_.activities, [this](Port port, Cycles now) { sent(port, now); });
    const std::int64_t groups = kernel_.fifos[FifoId::OutGroup].pushed();
    interval_.outstanding = kernel_.out.port.outstanding;
    kernel_.out.port.responses.for_each_run([this](Cycles first, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) interval_.pending.push_back(first + i - anchor_.now);
    });
    note_draining();
    Cycles now = anchor_.now;
    while (kernel_.inp.im2col.windows_emitted(plan_) < target) {
      if (now - anchor_.now > kPatience) throw Error(deadlock_text(topology(), now, kernel_));
      now = runs.run(now, anchor_.now + 2 * kPatience, target);
    }
    note_draining();
    interval_.cycles = now - anchor_.now;
    const auto cycles = [this](Block block, Activity activity) {
      return interval_.activities[static_cast<std::size_t>(block)].of(activity);
    };
    interval_.out_moved = interval_.out_moved || kernel_.fifos[FifoId::OutGroup].pushed() > groups ||
                          cycles(Block::OutEncode, Activity::Active) > 0 ||
                          cycles(Block::OutWriter, Activity::Active) + cycles(Block::OutWriter, Activity::Blocked) > 0;
    finish();
  }

  Kernel& kernel() { return kernel_; }

 private:
  // Called when a reader has taken a beat or the writer was active.
  void sent(Port port, Cycles now) {
    if (port == Port::Out) return writes_.take(kernel_, now);
    append(interval_.consumed[static_cast<std::size_t>(port)], now - anchor_.now, 1);
  }
  void note_draining() {
    const bool draining =
        plan_.gw() ? kernel_.out.constructor_gw.draining(plan_) : kernel_.out.constructor_fgi.draining();
    interval_.out_moved = interval_.out_moved || draining;
  }

  void finish() {
    interval_.array_starved = kernel_.array.starved();
    interval_.out = std::move(writes_.sent);
    interval_.writes = writes_.bursts;
    interval_.written = writes_.beats;
    interval_.answers = std::move(writes_.answers);
    interval_.write_busy = kernel_.out.port.busy_cycles;
    interval_.write_wait = kernel_.out.port.wait_cycles;
    interval_.footprint = footprint(plan_, kernel_, anchor_);
  }

  const Plan& plan_;
  Anchor anchor_;
  Interval& interval_;
  AnsweredWrites writes_;
  Kernel kernel_;
};

}  // namespace

Kernel run_unconstrained(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor,
                         std::int64_t windows, WriteAnswer answer, Interval& interval) {
  UnconstrainedRun run(plan, bytes, anchor, answer, interval);
  run.run(windows);
  return std::move(run.kernel());
}

}  // namespace weft::fpgpt::exact
