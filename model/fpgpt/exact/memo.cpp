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

void Memo::forget() {
  legs_.clear();
  leg_of_ = {};
  leg_after_ = {};
  outlook_.forget();
  learnt_.clear();
  learnt_of_ = {};
  for (std::size_t i = 0; i < 2; ++i) {
    aheads_[i].clear();
    ahead_of_[i] = {};
  }
  trace_of_ports_ = {};
  learnt_bytes_ = 0;
}

std::size_t Memo::memory() const {
  return memory_of(learnt_of_) + memory_of(ahead_of_[0]) + memory_of(ahead_of_[1]) +
         trace_of_ports_.bucket_count() * 48 + learnt_bytes_ + legs_.size() * (sizeof(Leg) + 64) + memory_of(leg_of_) +
         memory_of(leg_after_) + outlook_.memory();
}

Leg* Memo::after(const Leg* before, const Place& place) {
  if (setting_->cut.next(place.windows) > setting_->plan->inp.count()) return nullptr;
  const Anchor anchor = place.anchor(setting_->cut);
  const auto key = [&] {
    return Key<2>{two(before->number, outlook_.all(anchor.round)),
                  static_cast<std::uint64_t>(setting_->cut.within_span(place.windows))};
  };
  if (before) {
    const std::uint32_t known = leg_after_.find(key());
    if (known != kNone) {
      Leg* const leg = legs_[known].get();
      return holds(*setting_->plan, anchor, leg->kernel->stretch.looked) ? leg : nullptr;
    }
  }
  Leg* const leg = find(place);
  if (leg && before) leg_after_.number(key(), leg->number);
  return leg;
}

// The same, from what the place is alone.
Leg* Memo::find(const Place& place) {
  const Anchor anchor = place.anchor(setting_->cut);
  std::uint32_t known = learnt_of_.find(key_of(place));
  if (known == kNone) {
    if (!learn(place)) return nullptr;
    known = learnt_of_.find(key_of(place));
  }
  Leg leg;
  leg.kernel = learnt_[known].get();
  if (!holds(*setting_->plan, anchor, leg.kernel->stretch.looked)) return nullptr;
  for (std::size_t i = 0; i < 2; ++i) {
    leg.readers[i] = find_ahead(i, place, *leg.kernel);
    if (!leg.readers[i]) return nullptr;
  }
  outlook_.widen(states_.sight(place.state));
  for (std::size_t i = 0; i < 2; ++i) outlook_.widen(i, states_.sight(i, place.readers[i]));
  const Key<2> parts{two(leg.kernel->number, leg.readers[0]->number), leg.readers[1]->number};
  const std::uint32_t number = leg_of_.number(parts, static_cast<std::uint32_t>(legs_.size()));
  if (number == legs_.size()) {
    leg.number = number;
    for (std::size_t i = 0; i < channels_.size(); ++i) leg.traces.push_back(trace_of(leg, i));
    legs_.push_back(std::make_unique<Leg>(std::move(leg)));
  }
  return legs_[number].get();
}

const LearntAhead* Memo::find_ahead(std::size_t port, const Place& place, const Learnt& kernel) {
  std::uint32_t known = ahead_of_[port].find(key_of(port, place, kernel));
  if (known == kNone) {
    if (!learn_ahead(port, place, kernel)) return nullptr;
    known = ahead_of_[port].find(key_of(port, place, kernel));
  }
  return aheads_[port][known].get();
}

Key<2> Memo::key_of(const Place& place) {
  const std::int64_t round = place.anchor(setting_->cut).round;
  const std::int64_t windows = setting_->cut.next(place.windows) - place.windows;
  const Sight& sight = states_.sight(place.state);
  return Key<2>{two(place.state, outlook_.front(round, sight)),
                two(static_cast<std::uint32_t>(windows), sight.out ? outlook_.out(round) : 0)};
}

// A reader's state is relative to the round or pass, so how far the next anchor is from this one matters too.
Key<2> Memo::key_of(std::size_t port, const Place& place, const Learnt& kernel) {
  const Plan& plan = *setting_->plan;
  const Anchor from = place.anchor(setting_->cut), to = place.end(setting_->cut, 0);
  const std::uint32_t state = place.readers[port];
  const std::uint32_t pages = outlook_.pages(port, from.round, states_.sight(port, state));
  const std::int64_t forward = port == 0 ? to.round - from.round : to.pass(plan) - from.pass(plan);
  return Key<2>{two(state, pages), two(static_cast<std::uint32_t>(forward), kernel.schedules[port]->number)};
}

bool Memo::learn(const Place& place) {
  const Plan& plan = *setting_->plan;
  const Anchor anchor = place.anchor(setting_->cut);
  const std::int64_t windows = setting_->cut.next(place.windows) - place.windows;
  std::string bytes = states_.bytes(place.state);
  auto learnt = std::make_unique<Learnt>();
  Stretch& stretch = learnt->stretch;
  Kernel kernel = run_free(setting_->plan, bytes, anchor, windows, answer_, stretch);
  learnt_cycles_ += stretch.cycles;
  const std::int64_t rounds_seen = (stretch.looked.windows - 1) / setting_->cut.round_windows();
  const Sight& from = states_.sight(place.state);
  if (std::max({rounds_seen, std::int64_t{stretch.looked.passes}, std::int64_t{from.rounds_back} + 1,
                std::int64_t{from.passes_back} + 1}) > kFarthest ||
      !holds(plan, anchor, stretch.looked)) {
    return false;
  }

  const Anchor end = place.end(setting_->cut, stretch.cycles);
  stretch.next = states_.number(kernel, end);
  Sight& sight = states_.sight(place.state);
  sight.rounds = static_cast<std::uint8_t>(std::max<std::int64_t>(sight.rounds, rounds_seen));
  sight.passes = static_cast<std::uint8_t>(std::max<std::int64_t>(sight.passes, stretch.looked.passes - 1));
  // OUT is told relative to what the round makes, so its end shows how many words that was.
  const bool uneven = !plan.gw() && plan.last_group_rows != plan.alpha.y;
  sight.out = sight.out || stretch.out_moved || (uneven && end.round > anchor.round);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool more = i == 0 || plan.gw();  // KERN of F and GI is loaded
    learnt->schedules[i] =
        shared_.keep(engine::ConsumptionSchedule(std::move(stretch.consumed[i]), stretch.cycles, more));
  }
  learnt->out = shared_.keep(RequestTrace::of(stretch.cycles, {&stretch.out}, plan.alpha.beat_bytes()));
  if (traces_hold_all()) stretch.out = {};
  learnt_bytes_ += sizeof(Learnt) + 64 + stretch.out.events.capacity() * sizeof(engine::Event) +
                   stretch.answers.capacity() * sizeof(engine::Run);
  learnt->number = static_cast<std::uint32_t>(learnt_.size());
  learnt_of_.number(key_of(place), learnt->number);
  learnt_.push_back(std::move(learnt));
  ++distinct_;
  return true;
}

bool Memo::learn_ahead(std::size_t port, const Place& place, const Learnt& kernel) {
  const Plan& plan = *setting_->plan;
  const Cycles cycles = kernel.stretch.cycles;
  std::string bytes = states_.bytes(port, place.readers[port]);
  auto learnt = std::make_unique<LearntAhead>();
  ReadAhead& ahead = learnt->ahead;
  const ReaderState after = run_reader(plan, static_cast<Port>(port), bytes, place.anchor(setting_->cut), cycles,
                                       kernel.schedules[port]->runs(), ahead);
  const std::int64_t seen = (ahead.ranges_seen - 1) / (port == 0 ? setting_->cut.round_windows() : 1);
  if (seen > kFarthest || states_.sight(port, place.readers[port]).back >= kFarthest) return false;
  ahead.next = states_.number(port, after, place.end(setting_->cut, cycles));
  std::uint8_t& sight = states_.sight(port, place.readers[port]).ahead;
  sight = static_cast<std::uint8_t>(std::max<std::int64_t>(sight, seen));
  learnt->trace = shared_.keep(RequestTrace::of(cycles, {&ahead.transfers}, plan.alpha.beat_bytes()));
  if (traces_hold_all()) ahead.transfers = {};
  learnt_bytes_ += sizeof(LearntAhead) + 64 + ahead.transfers.events.capacity() * sizeof(engine::Event);
  learnt->number = static_cast<std::uint32_t>(aheads_[port].size());
  ahead_of_[port].number(key_of(port, place, kernel), learnt->number);
  aheads_[port].push_back(std::move(learnt));
  return true;
}

const RequestTrace* Memo::trace_of(const Leg& leg, std::size_t channel) {
  const auto own = [&](std::size_t port) { return port < 2 ? leg.readers[port]->trace : leg.kernel->out; };
  const std::vector<std::size_t>& ports = channels_.ports(channel);
  if (ports.size() == 1) return own(ports.front());
  Key<4> key{channel};
  for (const std::size_t port : ports) key.set(1 + port, own(port)->number);
  auto found = trace_of_ports_.find(key);
  if (found == trace_of_ports_.end()) {
    std::vector<const engine::Transfers*> transfers;
    transfers.reserve(ports.size());
    for (const std::size_t port : ports) {
      transfers.push_back(port < 2 ? &leg.readers[port]->ahead.transfers : &leg.kernel->stretch.out);
    }
    const RequestTrace* const trace =
        shared_.keep(RequestTrace::of(leg.kernel->stretch.cycles, transfers, setting_->plan->alpha.beat_bytes()));
    found = trace_of_ports_.emplace(key, trace).first;
  }
  return found->second;
}

namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
constexpr Cycles kPatience = 1 << 22;

// One run of a kernel without its memory: read data is always there, and nobody asks for it.
class FreeRun {
 public:
  FreeRun(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor, WriteAnswer answer,
          Stretch& stretch)
      : plan_(*plan), anchor_(anchor), stretch_(stretch), writes_(*plan, anchor, answer), kernel_(plan) {
    Relative state(bytes, true);
    kernel_.relative(state, anchor);
    for (stream::ReadPort* port : {&kernel_.inp.port, &kernel_.kern.port}) {
      port->ready = false;
      port->data.push(engine::kLongAgo, kPlenty);
    }
  }

  void run(std::int64_t windows) {
    const std::int64_t target = kernel_.inp.im2col.windows_emitted(plan_) + windows;
    BlockRuns runs(kernel_, stretch_.activities, [this](Port port, Cycles now) { sent(port, now); });
    const std::int64_t groups = kernel_.fifos[FifoId::OutGroup].pushed();
    stretch_.outstanding = kernel_.out.port.outstanding;
    kernel_.out.port.responses.for_each_run([this](Cycles first, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) stretch_.pending.push_back(first + i - anchor_.now);
    });
    note_draining();
    Cycles now = anchor_.now;
    while (kernel_.inp.im2col.windows_emitted(plan_) < target) {
      if (now - anchor_.now > kPatience) throw Error(deadlock_text(topology(), now, kernel_));
      now = runs.run(now, anchor_.now + 2 * kPatience, target);
    }
    note_draining();
    stretch_.cycles = now - anchor_.now;
    const auto cycles = [this](Block block, Activity activity) {
      return stretch_.activities[static_cast<std::size_t>(block)].of(activity);
    };
    stretch_.out_moved = stretch_.out_moved || kernel_.fifos[FifoId::OutGroup].pushed() > groups ||
                         cycles(Block::OutEncode, Activity::Active) > 0 ||
                         cycles(Block::OutWriter, Activity::Active) + cycles(Block::OutWriter, Activity::Blocked) > 0;
    finish();
  }

  Kernel& kernel() { return kernel_; }

 private:
  // A reader, which asks for nothing, has taken a beat, or the writer has done something.
  void sent(Port port, Cycles now) {
    if (port == Port::Out) return writes_.take(kernel_, now);
    append(stretch_.consumed[static_cast<std::size_t>(port)], now - anchor_.now, 1);
  }
  void note_draining() {
    const bool draining =
        plan_.gw() ? kernel_.out.constructor_gw.draining(plan_) : kernel_.out.constructor_fgi.draining();
    stretch_.out_moved = stretch_.out_moved || draining;
  }

  void finish() {
    stretch_.array_starved = kernel_.array.starved();
    stretch_.out = std::move(writes_.sent);
    stretch_.writes = writes_.bursts;
    stretch_.written = writes_.beats;
    stretch_.answers = std::move(writes_.answers);
    stretch_.write_busy = kernel_.out.port.busy_cycles;
    stretch_.write_wait = kernel_.out.port.wait_cycles;
    stretch_.looked = looked(plan_, kernel_, anchor_);
  }

  const Plan& plan_;
  Anchor anchor_;
  Stretch& stretch_;
  AnsweredWrites writes_;
  Kernel kernel_;
};

}  // namespace

Kernel run_free(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor, std::int64_t windows,
                WriteAnswer answer, Stretch& stretch) {
  FreeRun run(plan, bytes, anchor, answer, stretch);
  run.run(windows);
  return std::move(run.kernel());
}

}  // namespace weft::fpgpt::exact
