#include "model/fpgpt/exact/exact.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <set>
#include <unordered_set>
#include <vector>

#include "model/core/error.h"
#include "model/engine/ddr4_channel.h"
#include "model/fpgpt/exact/coupled.h"
#include "model/fpgpt/exact/free_run.h"
#include "model/fpgpt/exact/outlook.h"
#include "model/fpgpt/exact/read_ahead.h"
#include "model/memory/ideal.h"

namespace weft::engine {

using fpgpt::Anchor;
using fpgpt::Kernel;
using fpgpt::kPorts;
using fpgpt::Plan;
using fpgpt::Port;
using fpgpt::port_id;

namespace {

constexpr std::int64_t kMostRounds = 64;       // of a stretch
constexpr std::int64_t kLeastStretches = 512;  // of a convolution, before a stretch has several passes
constexpr Cycles kProgressCycles = 1 << 22;    // between two calls of on_progress
constexpr std::int64_t kMaxBackoff = 64;
constexpr std::int64_t kFarthest = 200;  // rounds or passes that a stretch or a reader in it may look ahead or back

// Everything a walk needs to go on from, or back to, an anchor.
struct Place {
  Cycles now = 0;
  std::int64_t windows = 0;                // emitted by im2col
  std::uint32_t state = 0;                 // of the kernel ...
  std::array<std::uint32_t, 2> readers{};  // ... and of the readers of INP and KERN
  std::array<Arrivals, 2> read;
  std::vector<Cycles> assumed;  // write responses that the memory has not confirmed
  Cycles last_answer = -1;
  std::vector<Ddr4Channel::Position> channels;
};

struct Learnt {
  std::uint32_t number = 0;
  Stretch stretch;
  std::array<const Takes*, 2> takes{};  // of the read ports
  const Tape* out = nullptr;            // of port OUT by itself
};

struct LearntAhead {
  std::uint32_t number = 0;
  ReadAhead ahead;
  const Tape* tape = nullptr;  // of the port by itself
};

// A stretch and what the readers do in it.
struct Leg {
  std::uint32_t number = 0;
  Learnt* kernel = nullptr;
  std::array<LearntAhead*, 2> readers{};
  std::vector<const Tape*> tapes;  // of each channel
  std::int64_t uses = 0;
};

class ExactRun {
 public:
  ExactRun(const Plan& plan, const memory::MemoryConfig& config, const ExactOptions& options)
      : plan_(std::make_shared<const Plan>(plan)),
        config_(config),
        options_(options),
        memory_(memory::make_memory(config)),
        coupled_(plan_, *memory_, config.port_channel),
        round_windows_(plan.sets * plan.beta.c),
        random_(options.seed) {
    const std::int64_t window_cycles =
        std::max({plan.positions, plan.spacing / plan.beta.c, plan.inp.floor_beats, std::int64_t{1}});
    const std::int64_t windows = std::max<std::int64_t>(options.stretch_cycles / window_cycles, 1);
    const std::int64_t pass_windows = plan.groups * round_windows_;
    if (windows <= round_windows_) {
      stride_ = windows;
      span_ = round_windows_;
    } else if (windows <= pass_windows) {
      stride_ = std::min(windows / round_windows_, kMostRounds) * round_windows_;
      span_ = pass_windows;
    } else {
      const std::int64_t most = std::min(kMostRounds / plan.groups, plan.passes / kLeastStretches);
      stride_ = std::clamp<std::int64_t>(windows / pass_windows, 1, std::max<std::int64_t>(most, 1)) * pass_windows;
      span_ = stride_;
    }
    const bool ddr4 = config.kind == memory::MemoryKind::ddr4;
    answer_.after = ddr4 ? 2 + config.latency_cycles : 1 + config.ideal_latency_cycles;
    if (ddr4) {
      // With as many edges of the DRAM in every kernel cycle as a beat has requests, the one that sees the last of them
      // lies in the cycle after it.
      const Bytes requests = std::max<Bytes>(config.beat_bytes / memory::kAccessBytes, 1);
      fixed_answers_ = memory::ClockRatio(config.kernel_clock, config.ddr4.data_rate_mtps).edges_in_a_cycle(requests);
      const std::set<int> used(config.port_channel.begin(), config.port_channel.end());
      for (const int channel : used) channel_numbers_.push_back(channel);
    }
    for (const int channel : channel_numbers_) {
      ports_of_.emplace_back();
      for (std::size_t port = 0; port < kPorts; ++port) {
        if (config.port_channel[port] == channel) ports_of_.back().push_back(port);
      }
      shares_channel_ = shares_channel_ || ports_of_.back().size() > 1;
    }
    forget();
  }

  ExactResult run() {
    std::int64_t backoff = 1, wait = 1;
    while (!coupled_.run(next_anchor(windows_of_coupled()))) {
      report(coupled_.now());
      if (--wait > 0 || !may_enter()) continue;
      enter();
      const Cycles from = at_.now;
      walk();
      leave();
      backoff = at_.now > from ? 1 : std::min(backoff * 2, kMaxBackoff);
      wait = backoff;
      if (!within_memory()) forget();
    }
    return finish();
  }

 private:
  std::int64_t windows_of_coupled() { return coupled_.kernel().inp.im2col.windows_emitted(*plan_); }
  std::int64_t next_anchor(std::int64_t windows) const {
    const std::int64_t within = windows % span_;
    return windows - within + std::min(span_, (within / stride_ + 1) * stride_);
  }
  void report(Cycles now) {
    if (!options_.on_progress || now < reported_ + kProgressCycles) return;
    reported_ = now;
    options_.on_progress(now);
  }
  memory::Ddr4Memory& ddr4(memory::Memory& memory) const { return static_cast<memory::Ddr4Memory&>(memory); }
  bool is_ddr4() const { return config_.kind == memory::MemoryKind::ddr4; }

  void forget() {
    settle();
    legs_.clear();
    leg_of_ = {};
    leg_after_ = {};
    for (const auto& channel : channels_) account_.memory_steps += channel->simulated_steps();
    outlook_.emplace(*plan_, ceil_div(stride_, round_windows_));
    states_ = States();
    sights_.clear();
    learnt_.clear();
    stretches_ = {};
    for (std::size_t i = 0; i < 2; ++i) {
      reader_states_[i] = States();
      reader_sights_[i].clear();
      aheads_[i].clear();
      ahead_of_[i] = {};
    }
    shared_tapes_ = {};
    pool_takes_.clear();
    pool_tapes_.clear();
    learnt_bytes_ = 0;
    spreads_ = {};
    channels_.clear();
    for (const int channel : channel_numbers_)
      channels_.push_back(std::make_unique<Ddr4Channel>(config_, channel, options_.sum_at_once));
  }
  std::int64_t memo_bytes() {
    std::size_t bytes = states_.memory() + memory_of(stretches_) + shared_tapes_.bucket_count() * 48 + learnt_bytes_ +
                        legs_.size() * (sizeof(Leg) + 64) + memory_of(leg_of_) + memory_of(leg_after_) +
                        outlook_->memory() + spreads_.memory();
    for (std::size_t i = 0; i < 2; ++i) {
      bytes += reader_states_[i].memory() + memory_of(ahead_of_[i]);
    }
    for (const auto& channel : channels_) bytes += channel->memory();
    account_.memo_bytes = std::max(account_.memo_bytes, static_cast<std::int64_t>(bytes));
    return static_cast<std::int64_t>(bytes);
  }

  // Forgets what is soon made again; false if that is not enough.
  bool within_memory() {
    if (memo_bytes() <= options_.memo_bytes) return true;
    for (Arrivals& read : at_.read) read.settle();
    for (const auto& channel : channels_) channel->forget_tapes();
    return memo_bytes() <= options_.memo_bytes * 3 / 4;
  }

  // A walk starts where KERN of F and GI is loaded and no write waits for its response.
  bool may_enter() {
    const Kernel& kernel = coupled_.kernel();
    if (!fixed_answers_) return false;
    if (!plan_->gw() && (!kernel.kern.feeder_fgi.loaded(*plan_) || !kernel.kern.reader.done(plan_->kern))) return false;
    // The burst that is open for beats may be; every other must have been answered.
    const std::int64_t open = kernel.out.writer.burst_open() ? 1 : 0;
    return kernel.out.port.outstanding == open && !kernel.inp.reader.done(plan_->inp);
  }

  Anchor anchor(const Place& place) const { return {place.now, place.windows / round_windows_}; }

  std::uint32_t state_of(Kernel& kernel, const Anchor& anchor) {
    std::string bytes;
    Relative state(bytes, false);
    kernel.relative(state, anchor);
    const std::uint32_t number = states_.number(bytes);
    if (sights_.size() <= number) sights_.resize(number + 1);
    const std::int64_t inp =
        std::min(kernel.inp.decode.range_index(plan_->inp), kernel.inp.construct.range_index(plan_->inp));
    sights_[number].rounds_back = back(ceil_div(anchor.inp_range(*plan_) - inp, round_windows_));
    if (plan_->gw()) {
      sights_[number].passes_back = back(anchor.kern_range(*plan_) - kernel.kern.decode.range_index(plan_->kern));
    }
    return number;
  }
  static std::uint8_t back(std::int64_t behind) {
    return static_cast<std::uint8_t>(std::clamp<std::int64_t>(behind, 0, kFarthest));
  }
  const stream::RangeLoop& loop_of(std::size_t port) const { return port == 0 ? plan_->inp : plan_->kern; }
  std::int64_t first_range(std::size_t port, const Anchor& anchor) const {
    return port == 0 ? anchor.inp_range(*plan_) : anchor.kern_range(*plan_);
  }
  std::uint32_t state_of(std::size_t port, ReaderState reader, const Anchor& anchor) {
    std::string bytes;
    Relative state(bytes, false);
    reader.relative(state, loop_of(port), first_range(port, anchor));
    const std::uint32_t number = reader_states_[port].number(bytes);
    if (reader_sights_[port].size() <= number) reader_sights_[port].resize(number + 1);
    const std::int64_t behind = first_range(port, anchor) - reader.reader.receive_index(loop_of(port));
    reader_sights_[port][number].back = back(port == 0 ? ceil_div(behind, round_windows_) : behind);
    return number;
  }

  // The place of a kernel and its memory at the start of the next cycle.
  Place place_of(Coupled& coupled, memory::Memory& memory, const std::vector<std::int64_t>& rows) {
    Place place;
    Kernel& kernel = coupled.kernel();
    place.now = coupled.now();
    place.windows = kernel.inp.im2col.windows_emitted(*plan_);
    for (const int channel : channel_numbers_) ddr4(memory).settle(channel, place.now);
    deliver(kernel, memory, place.now);
    const auto last_read = [&](Port port) {
      return is_ddr4() ? ddr4(memory).returned(port_id(port)).last_read()
                       : static_cast<memory::IdealMemory&>(memory).returned(port_id(port)).last_read();
    };
    place.read[0].load(kernel.inp.port.data, last_read(Port::Inp));
    place.read[1].load(kernel.kern.port.data, last_read(Port::Kern));
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      place.channels.push_back(channels_[i]->enter(ddr4(memory), place.now, rows[i]));
    }
    place.state = state_of(kernel, anchor(place));
    place.readers = {state_of(0, {kernel.inp.reader, kernel.inp.port}, anchor(place)),
                     state_of(1, {kernel.kern.reader, kernel.kern.port}, anchor(place))};
    return place;
  }
  // The row that a channel was sent last.
  std::vector<std::int64_t> rows_of(const Coupled& coupled) const {
    std::vector<std::int64_t> rows;
    for (const int channel : channel_numbers_) rows.push_back(coupled.last_address(channel) >> memory::kRowBit);
    return rows;
  }
  void enter() {
    at_ = place_of(coupled_, *memory_, rows_of(coupled_));
  }

  // Puts a kernel and its memory to `place`.
  void restore(const Place& place, Coupled& coupled, memory::Memory& memory) {
    Kernel kernel(plan_);
    std::string bytes = states_.bytes(place.state);
    Relative state(bytes, true);
    kernel.relative(state, anchor(place));
    const auto load = [&](std::size_t i, stream::DdrReader& reader, stream::ReadPort& port) {
      std::string reader_bytes = reader_states_[i].bytes(place.readers[i]);
      Relative reader_state(reader_bytes, true);
      ReaderState loaded{reader, port};
      loaded.relative(reader_state, loop_of(i), first_range(i, anchor(place)));
      reader = loaded.reader;
      port = loaded.port;
      place.read[i].for_each([&](Cycles first, std::int64_t count) { port.data.push(first, count); });
    };
    load(0, kernel.inp.reader, kernel.inp.port);
    load(1, kernel.kern.reader, kernel.kern.port);
    // What the memory has not answered yet it will.
    stream::BeatQueue known;
    std::int64_t keep = kernel.out.port.responses.size() - static_cast<std::int64_t>(place.assumed.size());
    kernel.out.port.responses.for_each_run([&](Cycles first, std::int64_t count) {
      const std::int64_t kept = std::min(keep, count);
      if (kept > 0) known.push(first, kept);
      keep -= kept;
    });
    kernel.out.port.responses = known;
    keep_accounts(coupled.kernel(), kernel);
    for (std::size_t i = 0; i < channels_.size(); ++i) channels_[i]->leave(place.channels[i], ddr4(memory), place.now);
    for (const Port port : {Port::Inp, Port::Kern, Port::Out}) {
      const Cycles last = port == Port::Out ? -1 : place.read[static_cast<std::size_t>(port)].last();
      if (is_ddr4()) {
        ddr4(memory).returned(port_id(port)).follow(last, place.last_answer);
      } else {
        auto& ideal = static_cast<memory::IdealMemory&>(memory);
        ideal.resume(port_id(port), place.now, port == Port::Out ? kernel.out.writer.burst_left() : 0);
        ideal.returned(port_id(port)).follow(last, place.last_answer);
      }
    }
    coupled.resume(std::move(kernel), place.now);
  }
  static void keep_accounts(const Kernel& from, Kernel& to) {
    const auto keep = [](const auto& old_port, auto& new_port) {
      new_port.busy_cycles = old_port.busy_cycles;
      new_port.wait_cycles = old_port.wait_cycles;
    };
    keep(from.inp.port, to.inp.port);
    keep(from.kern.port, to.kern.port);
    keep(from.out.port, to.out.port);
  }
  void leave() {
    restore(at_, coupled_, *memory_);
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      coupled_.note_address(channel_numbers_[i], at_.channels[i].row << memory::kRowBit);
    }
  }

  // Goes on from at_ as long as stretches hold.
  void walk() {
    Leg* leg = nullptr;
    while ((leg = after(leg))) {
      const bool replayed = options_.verify > 0 && chosen();
      if (replayed) before_ = at_;
      if (!advance(*leg)) return;
      if (replayed) replay(*leg);
      report(at_.now);
      if (++account_.stretches % 1024 == 0 && !within_memory()) return;
    }
  }

  // The leg that begins at at_, `before` being the one that ended there, if there was one; nullptr if the end of the
  // convolution is too near. Where a leg was followed by another and the tensors look the same, it is followed by it
  // again.
  Leg* after(const Leg* before) {
    if (next_anchor(at_.windows) > plan_->inp.count()) return nullptr;
    const Anchor anchor = this->anchor(at_);
    const auto key = [&] {
      return Key<2>{two(before->number, outlook_->all(anchor.round)), static_cast<std::uint64_t>(at_.windows % span_)};
    };
    if (before) {
      const auto found = leg_after_.find(key());
      if (found != leg_after_.end()) {
        Leg* const leg = legs_[found->second].get();
        return holds(leg->kernel->stretch, anchor) ? leg : nullptr;
      }
    }
    Leg* const leg = find(at_);
    if (leg && before) leg_after_.emplace(key(), leg->number);
    return leg;
  }

  // The same, from what the place is alone.
  Leg* find(const Place& place) {
    const Anchor anchor = this->anchor(place);
    Key<2> key = key_of(place);
    auto found = stretches_.find(key);
    if (found == stretches_.end()) {
      if (!learn(place)) return nullptr;
      key = key_of(place);
      found = stretches_.find(key);
    }
    Leg leg;
    leg.kernel = learnt_[found->second].get();
    if (!holds(leg.kernel->stretch, anchor)) return nullptr;
    for (std::size_t i = 0; i < 2; ++i) {
      leg.readers[i] = find_ahead(i, place, *leg.kernel);
      if (!leg.readers[i]) return nullptr;
    }
    outlook_->widen(sights_[place.state]);
    for (std::size_t i = 0; i < 2; ++i) outlook_->widen(i, reader_sights_[i][place.readers[i]]);
    const Key<2> parts{two(leg.kernel->number, leg.readers[0]->number), leg.readers[1]->number};
    const auto [at, added] = leg_of_.try_emplace(parts, static_cast<std::uint32_t>(legs_.size()));
    if (added) {
      leg.number = at->second;
      for (std::size_t i = 0; i < channels_.size(); ++i) leg.tapes.push_back(&tape_of(leg, i));
      legs_.push_back(std::make_unique<Leg>(std::move(leg)));
    }
    return legs_[at->second].get();
  }
  LearntAhead* find_ahead(std::size_t port, const Place& place, const Learnt& kernel) {
    auto found = ahead_of_[port].find(key_of(port, place, kernel));
    if (found == ahead_of_[port].end()) {
      if (!learn_ahead(port, place, kernel)) return nullptr;
      found = ahead_of_[port].find(key_of(port, place, kernel));
    }
    return aheads_[port][found->second].get();
  }
  // A reader's state is relative to the round or pass, so how far the next anchor is from this one matters too.
  Key<2> key_of(std::size_t port, const Place& place, const Learnt& kernel) {
    const Anchor from = anchor(place), to = end_of(place, 0);
    const std::uint32_t state = place.readers[port];
    const std::uint32_t pages = outlook_->pages(port, from.round, reader_sights_[port][state]);
    const std::int64_t forward = port == 0 ? to.round - from.round : to.pass(*plan_) - from.pass(*plan_);
    return {two(state, pages), two(static_cast<std::uint32_t>(forward), kernel.takes[port]->number)};
  }
  // Short of the last window and, for GW, the last pass: a reader may be asking for what it will discard of it when the
  // blocks behind it are through.
  bool holds(const Stretch& stretch, const Anchor& anchor) const {
    return anchor.window(*plan_) + stretch.windows_seen < plan_->inp.count() &&
           anchor.round + stretch.rounds_fed <= plan_->passes * plan_->groups &&
           (!plan_->gw() || anchor.pass(*plan_) + stretch.passes_seen < plan_->kern.count());
  }
  Key<2> key_of(const Place& place) {
    const std::int64_t round = anchor(place).round, windows = next_anchor(place.windows) - place.windows;
    const Sight& sight = sights_[place.state];
    return {two(place.state, outlook_->front(round, sight)),
            two(static_cast<std::uint32_t>(windows), sight.out ? outlook_->out(round) : 0)};
  }

  Anchor end_of(const Place& place, Cycles cycles) const {
    return {place.now + cycles, next_anchor(place.windows) / round_windows_};
  }

  bool learn(const Place& place) {
    const Anchor anchor = this->anchor(place);
    const std::int64_t windows = next_anchor(place.windows) - place.windows;
    std::string bytes = states_.bytes(place.state);
    auto learnt = std::make_unique<Learnt>();
    Stretch& stretch = learnt->stretch;
    Kernel kernel = run_free(plan_, bytes, anchor, windows, answer_, stretch);
    account_.learnt += stretch.cycles;
    const std::int64_t rounds_seen = (stretch.windows_seen - 1) / round_windows_;
    const Sight& from = sights_[place.state];
    if (std::max({rounds_seen, stretch.passes_seen, std::int64_t{from.rounds_back} + 1,
                  std::int64_t{from.passes_back} + 1}) > kFarthest ||
        !holds(stretch, anchor)) {
      return false;
    }

    const Anchor end = end_of(place, stretch.cycles);
    stretch.next = state_of(kernel, end);
    Sight& sight = sights_[place.state];
    sight.rounds = static_cast<std::uint8_t>(std::max<std::int64_t>(sight.rounds, rounds_seen));
    sight.passes = static_cast<std::uint8_t>(std::max<std::int64_t>(sight.passes, stretch.passes_seen - 1));
    // OUT is told relative to what the round makes, so its end shows how many words that was.
    const bool uneven = !plan_->gw() && plan_->last_group_rows != plan_->alpha.y;
    sight.out = sight.out || stretch.out_moved || (uneven && end.round > anchor.round);
    for (std::size_t i = 0; i < 2; ++i) {
      const bool more = i == 0 || plan_->gw();  // KERN of F and GI is loaded
      learnt->takes[i] = share(Takes(std::move(stretch.takes[i]), stretch.cycles, more));
    }
    learnt->out = share(Tape::of(stretch.cycles, {&stretch.out}, plan_->alpha.beat_bytes()));
    if (is_ddr4() && !shares_channel_) stretch.out = {};  // the tape holds it
    learnt_bytes_ +=
        sizeof(Learnt) + 64 + stretch.out.events.capacity() * sizeof(Event) + stretch.answers.capacity() * sizeof(Run);
    learnt->number = static_cast<std::uint32_t>(learnt_.size());
    stretches_[key_of(place)] = learnt->number;
    learnt_.push_back(std::move(learnt));
    ++account_.distinct;
    return true;
  }

  bool learn_ahead(std::size_t port, const Place& place, const Learnt& kernel) {
    const Anchor anchor = this->anchor(place);
    const Cycles cycles = kernel.stretch.cycles;
    std::string bytes = reader_states_[port].bytes(place.readers[port]);
    auto learnt = std::make_unique<LearntAhead>();
    ReadAhead& ahead = learnt->ahead;
    const ReaderState after =
        run_reader(*plan_, static_cast<Port>(port), bytes, anchor, cycles, kernel.takes[port]->runs(), ahead);
    const std::int64_t seen = (ahead.ranges_seen - 1) / (port == 0 ? round_windows_ : 1);
    if (seen > kFarthest || reader_sights_[port][place.readers[port]].back >= kFarthest) return false;
    ahead.next = state_of(port, after, end_of(place, cycles));
    std::uint8_t& sight = reader_sights_[port][place.readers[port]].ahead;
    sight = static_cast<std::uint8_t>(std::max<std::int64_t>(sight, seen));
    learnt->tape = share(Tape::of(cycles, {&ahead.transfers}, plan_->alpha.beat_bytes()));
    if (is_ddr4() && !shares_channel_) ahead.transfers = {};  // the tape holds them
    learnt_bytes_ += sizeof(LearntAhead) + 64 + ahead.transfers.events.capacity() * sizeof(Event);
    learnt->number = static_cast<std::uint32_t>(aheads_[port].size());
    ahead_of_[port][key_of(port, place, kernel)] = learnt->number;
    aheads_[port].push_back(std::move(learnt));
    return true;
  }

  // What many stretches have alike is kept once.
  const Takes* share(Takes takes) {
    takes.number = ++numbered_;
    const auto [found, added] = pool_takes_.insert(std::move(takes));
    if (added) learnt_bytes_ += found->memory();
    return &*found;
  }
  const Tape* share(Tape tape) {
    tape.number = ++numbered_;
    const auto [found, added] = pool_tapes_.insert(std::move(tape));
    if (added) learnt_bytes_ += found->memory();
    return &*found;
  }

  const Tape& tape_of(const Leg& leg, std::size_t channel) {
    const auto own = [&](std::size_t port) { return port < 2 ? leg.readers[port]->tape : leg.kernel->out; };
    const std::vector<std::size_t>& ports = ports_of_[channel];
    if (ports.size() == 1) return *own(ports.front());
    Key<4> key{channel};
    for (const std::size_t port : ports) key[1 + port] = own(port)->number;
    auto found = shared_tapes_.find(key);
    if (found == shared_tapes_.end()) {
      std::vector<const Transfers*> transfers;
      transfers.reserve(ports.size());
      for (const std::size_t port : ports) {
        transfers.push_back(port < 2 ? &leg.readers[port]->ahead.transfers : &leg.kernel->stretch.out);
      }
      const Tape* const tape = share(Tape::of(leg.kernel->stretch.cycles, transfers, plan_->alpha.beat_bytes()));
      found = shared_tapes_.emplace(key, tape).first;
    }
    return *found->second;
  }

  // Walks one stretch from at_, if the memory is fast enough for it; otherwise at_ stays as it is.
  bool advance(Leg& leg) {
    const Stretch& stretch = leg.kernel->stretch;
    next_.read = at_.read;
    next_.channels = at_.channels;
    next_.assumed = at_.assumed;
    next_.last_answer = at_.last_answer;
    next_.now = at_.now + stretch.cycles;
    for (const Run& run : stretch.answers) {
      for (std::int64_t i = 0; i < run.count; ++i) next_.assumed.push_back(at_.now + run.first + i);
    }
    RowCounts rows{};
    if (is_ddr4() ? !through_ddr4(leg, rows) : !through_ideal(leg)) return false;
    for (std::size_t port = 0; port < 2; ++port) {
      const Takes& takes = *leg.kernel->takes[port];
      if (!next_.read[port].in_time(at_.now, takes)) return false;
      next_.read[port].take(takes.taken());
    }
    next_.windows = next_anchor(at_.windows);
    next_.state = stretch.next;
    for (std::size_t i = 0; i < 2; ++i) next_.readers[i] = leg.readers[i]->ahead.next;
    std::swap(at_, next_);
    ++leg.uses;
    account_.walked += stretch.cycles;
    for (std::size_t port = 0; port < kPorts; ++port) {
      for (std::size_t kind = 0; kind < 3; ++kind) rows_[port][kind] += rows[port][kind];
    }
    return true;
  }

  bool through_ddr4(const Leg& leg, RowCounts& rows) {
    const std::int64_t round = anchor(at_).round;
    delivery_.read = {&next_.read[0], &next_.read[1]};
    delivery_.answers.clear();
    delivery_.rows = {};
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const Tape& tape = *leg.tapes[i];
      channels_[i]->walk(next_.channels[i], at_.now, tape, bases_of(tape, round), delivery_);
    }
    rows = delivery_.rows;
    // The memory's responses are those that were assumed, and none is missing.
    const std::size_t confirmed = delivery_.answers.size();
    if (confirmed > next_.assumed.size() ||
        !std::equal(delivery_.answers.begin(), delivery_.answers.end(), next_.assumed.begin())) {
      return false;
    }
    if (confirmed > 0) {
      next_.last_answer = delivery_.answers.back();
      next_.assumed.erase(next_.assumed.begin(), next_.assumed.begin() + static_cast<std::ptrdiff_t>(confirmed));
    }
    return next_.assumed.empty() || next_.assumed.front() >= next_.now;
  }

  Bases bases_of(const Tape& tape, std::int64_t round) {
    Bases bases;
    if (tape.bases.empty()) {
      bases.fill = [](const Tape&, std::vector<Address>&) {};
      return bases;
    }
    bases.first = base_address(*plan_, round, tape.bases.front());
    bases.fill = [this, round](const Tape& laid, std::vector<Address>& addresses) {
      for (const Base& base : laid.bases) addresses.push_back(base_address(*plan_, round, base));
    };
    if (tape.bases.size() == 1) return bases;
    // Those of a port stand for passes in a row.
    std::uint32_t spread = 0;
    for (auto base = tape.bases.begin(); base != tape.bases.end();) {
      const auto next = std::find_if(base, tape.bases.end(), [&](const Base& b) { return b.port != base->port; });
      if (base != tape.bases.begin())
        spread = spreads_.number(spread, base_address(*plan_, round, *base) - bases.first);
      if (next - base > 1) spread = spreads_.number(spread, passes_from(*base, *(next - 1), round));
      base = next;
    }
    bases.spread = spread;
    return bases;
  }
  // How the passes from one base of INP or KERN to another lie to the first.
  std::int64_t passes_from(const Base& first, const Base& last, std::int64_t round) const {
    const bool inp = first.port == Port::Inp;
    const stream::RangeLoop& loop = loop_of(inp ? 0 : 1);
    const std::int64_t group = inp ? (round + first.rounds) % plan_->groups : 0;
    const std::int64_t passes = inp ? (group + last.rounds - first.rounds) / plan_->groups : last.rounds - first.rounds;
    const std::int64_t pass = inp ? (round + first.rounds) / plan_->groups : round / plan_->groups + first.rounds;
    const std::int64_t of_run = pass % loop.n;
    const Words word = loop.base + pass / loop.n * loop.pitch_a + of_run * loop.pitch_n;
    const std::int64_t run = std::min(loop.n - of_run, passes + 1);
    return (run * plan_->groups + group) * plan_->alpha.band + word % plan_->alpha.band;
  }

  bool through_ideal(const Leg& leg) {
    for (std::size_t port = 0; port < 2; ++port) {
      for (const Event& event : leg.readers[port]->ahead.transfers.events) {
        next_.read[port].push(at_.now + event.cycle + 1 + config_.ideal_latency_cycles, event.beats);
      }
    }
    if (!next_.assumed.empty()) next_.last_answer = next_.assumed.back();
    next_.assumed.clear();
    return true;
  }

  // One stretch in so many, such that about `verify` of a convolution are replayed.
  bool chosen() {
    if (account_.verified >= options_.verify) return false;
    const std::int64_t left = (plan_->inp.count() - at_.windows) / stride_ + 1;
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(left)) <
           options_.verify - account_.verified;
  }

  // Steps through the stretch from before_ to at_ and compares.
  void replay(const Leg& leg) {
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(config_);
    Coupled coupled(plan_, *memory, config_.port_channel);
    restore(before_, coupled, *memory);
    const auto fail = [&](const char* what) {
      throw Error(fmt::format("the replay of cycles {} to {} differs in {}; this is an error of the exact rung",
                              before_.now, at_.now, what));
    };
    if (coupled.run(at_.windows) || coupled.now() != at_.now) fail("its length");
    fpgpt::BlockActivities activities = leg.kernel->stretch.activities;
    for (std::size_t i = 0; i < 2; ++i) count_asking(i, leg.readers[i]->ahead.only_asked, activities);
    if (coupled.activities() != activities) fail("what the blocks did");
    std::vector<std::int64_t> rows;
    for (const auto& channel : at_.channels) rows.push_back(channel.row);
    const Place place = place_of(coupled, *memory, rows);
    if (at_.assumed.empty() && place.state != at_.state) fail("the state of the kernel");
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      if (place.channels[i].state != at_.channels[i].state) fail("the state of a memory channel");
      if (place.channels[i].refresh_due != at_.channels[i].refresh_due) fail("the next refresh");
    }
    for (std::size_t port = 0; port < 2; ++port) {
      if (place.readers[port] != at_.readers[port]) fail("the state of a reader");
      if (place.read[port].last() != at_.read[port].last() || place.read[port].size() != at_.read[port].size()) {
        fail("the data under way");
      }
    }
    ++account_.verified;
  }

  // A reader that asks is active, also in a cycle in which it cannot hand on what has come.
  static void count_asking(std::size_t port, Cycles cycles, fpgpt::BlockActivities& activities) {
    const auto block = static_cast<std::size_t>(port == 0 ? fpgpt::Block::InpReader : fpgpt::Block::KernReader);
    activities[block].add(Activity::Active, cycles);
    activities[block].add(Activity::Blocked, -cycles);
  }
  // Counts what was walked.
  void settle() {
    for (const auto& leg : legs_) {
      const std::int64_t uses = leg->uses;
      const Stretch& stretch = leg->kernel->stretch;
      for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
        for (std::size_t i = 0; i < 4; ++i) {
          walked_.activities[block].cycles[i] += uses * stretch.activities[block].cycles[i];
        }
      }
      for (std::size_t i = 0; i < 2; ++i) {
        const ReadAhead& ahead = leg->readers[i]->ahead;
        memory::PortStats& port = walked_.ports[i];
        port.read_beats += uses * leg->kernel->takes[i]->taken();
        port.busy_cycles += uses * leg->kernel->takes[i]->taken();
        port.read_bursts += uses * ahead.bursts;
        port.wait_cycles += uses * ahead.wait;
        count_asking(i, uses * ahead.only_asked, walked_.activities);
      }
      memory::PortStats& out = walked_.ports[static_cast<std::size_t>(Port::Out)];
      out.write_bursts += uses * stretch.writes;
      out.write_beats += uses * stretch.written;
      out.busy_cycles += uses * stretch.write_busy;
      out.wait_cycles += uses * stretch.write_wait;
      leg->uses = 0;
    }
  }

  ExactResult finish();

  std::shared_ptr<const Plan> plan_;
  memory::MemoryConfig config_;
  const ExactOptions& options_;
  std::unique_ptr<memory::Memory> memory_;
  Coupled coupled_;
  std::int64_t round_windows_;
  std::int64_t stride_ = 1;  // windows of a stretch: a part of a round or some rounds of a pass ...
  std::int64_t span_ = 1;    // ... which is that many windows
  WriteAnswer answer_;
  bool fixed_answers_ = true;
  std::vector<int> channel_numbers_;
  std::mt19937_64 random_;

  States states_;
  std::vector<Sight> sights_;  // of each state
  std::optional<Outlook> outlook_;
  std::vector<std::unique_ptr<Learnt>> learnt_;
  // The same of the readers of INP and KERN.
  std::array<States, 2> reader_states_;
  std::array<std::vector<ReaderSight>, 2> reader_sights_;
  std::array<std::vector<std::unique_ptr<LearntAhead>>, 2> aheads_;
  std::array<KeyMap<2>, 2> ahead_of_;
  std::unordered_set<Takes, TakesHash> pool_takes_;
  std::unordered_set<Tape, TapeHash> pool_tapes_;
  std::vector<std::vector<std::size_t>> ports_of_;  // of each channel
  bool shares_channel_ = false;                     // two ports one
  std::vector<std::unique_ptr<Leg>> legs_;
  KeyMap<2> leg_of_;     // by its parts
  KeyMap<2> leg_after_;  // by the one before it, how all looks, and where in its span it begins
  tsl::robin_map<Key<4>, const Tape*, KeyHash, KeyEqual> shared_tapes_;  // of the channel and its ports'
  std::size_t learnt_bytes_ = 0;
  KeyMap<2> stretches_;
  std::vector<std::unique_ptr<Ddr4Channel>> channels_;
  std::uint32_t numbered_ = 0;  // takes and tapes

  Place at_, next_, before_;
  Sequences spreads_;
  Delivery delivery_;
  Cycles reported_ = 0;

  RowCounts rows_{};
  fpgpt::ConvolutionResult walked_;
  ExactAccount account_;
};

ExactResult ExactRun::finish() {
  memory_->finish();
  ExactResult result;
  memo_bytes();
  for (const auto& channel : channels_) account_.memory_steps += channel->simulated_steps();
  settle();
  result.convolution = fpgpt::collect(coupled_.kernel(), coupled_.activities(), coupled_.now(), *memory_);
  for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
    result.convolution.activities[block] += walked_.activities[block];
  }
  result.convolution.limiter = fpgpt::limiter(plan_->beta.kind, result.convolution.activities);
  for (std::size_t i = 0; i < kPorts; ++i) {
    walked_.ports[i].row_hits = rows_[i][0];
    walked_.ports[i].row_misses = rows_[i][1];
    walked_.ports[i].row_conflicts = rows_[i][2];
    result.convolution.ports[i] += walked_.ports[i];
  }
  account_.simulated = coupled_.stepped() + coupled_.quiet();
  result.convolution.skipped_cycles = account_.walked + coupled_.quiet();
  result.account = account_;
  return result;
}

}  // namespace

ExactResult run_exact(const Plan& plan, const memory::MemoryConfig& memory, const ExactOptions& options) {
  return ExactRun(plan, memory, options).run();
}

}  // namespace weft::engine
