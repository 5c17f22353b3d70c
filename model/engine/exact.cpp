#include "model/engine/exact.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <set>
#include <unordered_set>
#include <vector>

#include "model/core/error.h"
#include "model/engine/coupled.h"
#include "model/engine/ddr4_channel.h"
#include "model/engine/free_run.h"
#include "model/memory/ideal.h"

namespace weft::engine {

using fpgpt::Anchor;
using fpgpt::Kernel;
using fpgpt::kPorts;
using fpgpt::Plan;
using fpgpt::Port;
using fpgpt::port_id;

namespace {

constexpr std::int64_t kMostRounds = 64;     // of a stretch
constexpr Cycles kProgressCycles = 1 << 22;  // between two calls of on_progress
constexpr std::int64_t kMaxBackoff = 64;

// Everything a walk needs to go on from, or back to, an anchor.
struct Place {
  Cycles now = 0;
  std::int64_t windows = 0;  // emitted by im2col
  std::uint32_t state = 0;
  std::array<Arrivals, 2> read;
  std::vector<Cycles> assumed;  // write responses that the memory has not confirmed
  Cycles last_answer = -1;
  std::vector<Ddr4Channel::Position> channels;
};

struct Learnt {
  Stretch stretch;
  std::array<const Needs*, 2> needs{};  // of the read ports
  std::vector<const Tape*> tapes;       // of each channel
  std::int64_t uses = 0;
};

// How far the stretches that begin in a state of the kernel look.
struct Sight {
  std::uint8_t rounds = 0, passes = 0;
  bool out = false;
};

struct StretchKey {
  std::uint64_t state_front, out;
  friend bool operator==(const StretchKey& a, const StretchKey& b) {
    return a.state_front == b.state_front && a.out == b.out;
  }
};
struct StretchHash {
  std::size_t operator()(const StretchKey& key) const { return mix(mix(0, key.state_front), key.out); }
};

// The tensors as seen from the rounds of a convolution: two rounds of which the same numbers are asked for look the
// same to the kernel.
class Outlook {
 public:
  // `rounds`: of a stretch.
  Outlook(const Plan& plan, std::int64_t rounds)
      : plan_(plan), rounds_(plan.passes * plan.groups), page_words_(4096 * 8 / plan.alpha.word_bits) {
    const Words round_words = plan.alpha.y * plan.beta.out_map();
    const Words burst_words = Words{plan.alpha.out_port.max_burst_beats} * plan.alpha.band;
    horizon_ = 3 + rounds + ceil_div(burst_words, round_words);
  }

  // INP of this round and the `sight.rounds` after it, KERN of this pass and those after it.
  std::uint32_t front(std::int64_t round, const Sight& sight) {
    if (round != round_) {
      round_ = round;
      front_.clear();
      out_known_ = false;
    }
    for (const auto& [key, number] : front_) {
      if (key.rounds == sight.rounds && key.passes == sight.passes) return number;
    }
    std::uint32_t number = numbers_.number(0, sight.rounds * 256 + sight.passes);
    // Where the phase changes, not at every pass: passes that lie alike are not told apart.
    std::int64_t pass = round / plan_.groups, before = phase(plan_.inp, pass);
    const std::int64_t end = round + sight.rounds;
    number = numbers_.number(number, before);
    for (++pass; pass * plan_.groups <= end; ++pass) {
      const std::int64_t next = phase(plan_.inp, pass);
      if (next == before) continue;
      number = numbers_.number(number, (pass * plan_.groups - round) * page_words_ + next);
      before = next;
    }
    number = numbers_.number(number, -2);
    for (std::int64_t i = 0; plan_.gw() && i <= sight.passes; ++i) {
      number = numbers_.number(number, kern(round / plan_.groups + i));
    }
    front_.emplace_back(sight, number);
    return number;
  }

  // OUT around this round: how it lies in pages and beats, which groups are short, where its runs end.
  std::uint32_t out(std::int64_t round) {
    front(round, {});
    if (out_known_) return out_;
    const std::int64_t group = round % plan_.groups;
    const Words words = Anchor{0, round}.out_words(plan_);
    const Words word = plan_.out_base + words / plan_.out_run_words * plan_.out_run_pitch + words % plan_.out_run_words;
    out_ = numbers_.number(0, -1);
    for (const std::int64_t value : {word % page_words_, std::min(plan_.groups - 1 - group, horizon_),
                                     std::min(group, horizon_), std::min(rounds_ - round, horizon_)}) {
      out_ = numbers_.number(out_, value);
    }
    out_known_ = true;
    return out_;
  }

 private:
  std::int64_t phase(const fpgpt::RangeLoop& loop, std::int64_t pass) const {
    if (pass >= plan_.passes) return -1;
    return (loop.base + pass / loop.n * loop.pitch_a + pass % loop.n * loop.pitch_n) % page_words_;
  }
  std::int64_t kern(std::int64_t pass) const { return phase(plan_.kern, pass); }

  const Plan& plan_;
  std::int64_t rounds_;
  Words page_words_;
  std::int64_t horizon_ = 3;
  Sequences numbers_;
  std::int64_t round_ = -1;
  std::vector<std::pair<Sight, std::uint32_t>> front_;
  bool out_known_ = false;
  std::uint32_t out_ = 0;
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
    stride_ = windows <= round_windows_
                  ? windows
                  : std::min({windows / round_windows_, plan.groups, kMostRounds}) * round_windows_;
    span_ = windows <= round_windows_ ? round_windows_ : plan.groups * round_windows_;
    outlook_.emplace(*plan_, ceil_div(stride_, round_windows_));
    const bool ddr4 = config.kind == memory::MemoryKind::ddr4;
    answer_.after = ddr4 ? 2 + config.latency_cycles : 1 + config.ideal_latency_cycles;
    if (ddr4) {
      // With an edge of the DRAM in every kernel cycle, the one that sees the last beat lies in the cycle after it.
      fixed_answers_ = config.ddr4.data_rate_mtps * config.kernel_clock.den >= 2 * config.kernel_clock.num;
      const std::set<int> used(config.port_channel.begin(), config.port_channel.end());
      for (const int channel : used) channel_numbers_.push_back(channel);
    }
    pool_tapes_.resize(channel_numbers_.size());
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
    states_ = States();
    sights_.clear();
    for (auto& learnt : learnt_) settle_uses(*learnt);
    learnt_.clear();
    pool_needs_.clear();
    for (auto& tapes : pool_tapes_) tapes.clear();
    learnt_bytes_ = 0;
    for (const auto& channel : channels_) account_.memory_steps += channel->simulated_steps();
    stretches_.clear();
    channels_.clear();
    for (const int channel : channel_numbers_) channels_.push_back(std::make_unique<Ddr4Channel>(config_, channel));
  }
  std::int64_t memo_bytes() {
    std::size_t bytes = states_.memory() + stretches_.bucket_count() * 32 + learnt_bytes_;
    for (const auto& channel : channels_) bytes += channel->memory();
    account_.memo_bytes = std::max(account_.memo_bytes, static_cast<std::int64_t>(bytes));
    return static_cast<std::int64_t>(bytes);
  }

  // Forgets what is soon made again; false if that is not enough.
  bool within_memory() {
    if (memo_bytes() <= options_.memo_bytes) return true;
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
    const std::uint32_t number = states_.number(std::move(bytes));
    if (sights_.size() <= number) sights_.resize(number + 1);
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
    return place;
  }
  // The row that a channel was sent last.
  std::vector<std::int64_t> rows_of(const Coupled& coupled) const {
    std::vector<std::int64_t> rows;
    for (const int channel : channel_numbers_) rows.push_back(coupled.last_address(channel) >> memory::kRowBit);
    return rows;
  }
  void count_arrived(std::int64_t sign) {
    for (std::size_t i = 0; i < 2; ++i) walked_.ports[i].read_beats += sign * at_.read[i].size();
  }
  void enter() {
    at_ = place_of(coupled_, *memory_, rows_of(coupled_));
    count_arrived(-1);
  }

  // Puts a kernel and its memory to `place`.
  void restore(const Place& place, Coupled& coupled, memory::Memory& memory) {
    Kernel kernel(plan_);
    std::string bytes = states_.bytes(place.state);
    Relative state(bytes, true);
    kernel.relative(state, anchor(place));
    const auto load = [](fpgpt::ReadPort& port, const Arrivals& arrivals) {
      arrivals.for_each([&](Cycles first, std::int64_t count) { port.data.push(first, count); });
    };
    load(kernel.inp.port, place.read[0]);
    load(kernel.kern.port, place.read[1]);
    // What the memory has not answered yet it will.
    fpgpt::BeatQueue known;
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
    count_arrived(1);
  }

  // Goes on from at_ as long as stretches hold.
  void walk() {
    while (true) {
      Learnt* const learnt = find(at_);
      if (!learnt) return;
      const bool replayed = options_.verify > 0 && chosen();
      if (replayed) before_ = at_;
      if (!advance(*learnt)) return;
      if (replayed) replay(*learnt);
      report(at_.now);
      if (++account_.stretches % 1024 == 0 && !within_memory()) return;
    }
  }

  // The stretch that begins at `place`; nullptr if the end of the convolution is too near.
  Learnt* find(const Place& place) {
    if (place.windows == plan_->inp.count()) return nullptr;
    const Anchor anchor = this->anchor(place);
    StretchKey key = key_of(place.state, anchor.round);
    auto found = stretches_.find(key);
    if (found == stretches_.end()) {
      if (!learn(place)) return nullptr;
      key = key_of(place.state, anchor.round);
      found = stretches_.find(key);
    }
    Learnt& learnt = *learnt_[found->second];
    return holds(learnt.stretch, anchor) ? &learnt : nullptr;
  }
  // Short of the last window and, for GW, the last pass: a reader may be asking for what it will discard of it when the
  // blocks behind it are through.
  bool holds(const Stretch& stretch, const Anchor& anchor) const {
    return anchor.window(*plan_) + stretch.windows_seen < plan_->inp.count() &&
           anchor.round + stretch.rounds_fed <= plan_->passes * plan_->groups &&
           (!plan_->gw() || anchor.pass(*plan_) + stretch.passes_seen < plan_->kern.count());
  }
  StretchKey key_of(std::uint32_t state, std::int64_t round) {
    const Sight sight = sights_[state];
    return {std::uint64_t{state} << 32 | outlook_->front(round, sight), sight.out ? outlook_->out(round) : 0};
  }

  bool learn(const Place& place) {
    constexpr std::int64_t kFarRounds = 200;
    const Anchor anchor = this->anchor(place);
    const std::int64_t windows = next_anchor(place.windows) - place.windows;
    std::string bytes = states_.bytes(place.state);
    auto learnt = std::make_unique<Learnt>();
    Stretch& stretch = learnt->stretch;
    Kernel kernel = run_free(plan_, bytes, anchor, windows, answer_, stretch);
    account_.learnt += stretch.cycles;
    const std::int64_t rounds_seen = (stretch.windows_seen - 1) / round_windows_;
    if (rounds_seen > kFarRounds || stretch.passes_seen > kFarRounds || !holds(stretch, anchor)) return false;

    const Anchor end{anchor.now + stretch.cycles, (place.windows + windows) / round_windows_};
    stretch.rounds = end.round - anchor.round;
    stretch.next = state_of(kernel, end);
    Sight& sight = sights_[place.state];
    sight.rounds = static_cast<std::uint8_t>(std::max<std::int64_t>(sight.rounds, rounds_seen));
    sight.passes = static_cast<std::uint8_t>(std::max<std::int64_t>(sight.passes, stretch.passes_seen - 1));
    // OUT is told relative to what the round makes, so its end shows how many words that was.
    const bool uneven = !plan_->gw() && plan_->last_group_rows != plan_->alpha.y;
    sight.out = sight.out || stretch.out_moved || (uneven && stretch.rounds > 0);
    for (std::size_t i = 0; i < 2; ++i) learnt->needs[i] = share(Needs(std::move(stretch.read[i].needs)));
    for (std::size_t i = 0; i < channels_.size(); ++i) learnt->tapes.push_back(share(i, stretch));
    if (is_ddr4()) {  // the tapes hold them
      stretch.events = {};
      stretch.bases = {};
    }
    learnt_bytes_ += sizeof(Learnt) + 64 + stretch.events.capacity() * sizeof(Event) +
                     stretch.answers.capacity() * sizeof(Run) + stretch.bases.capacity() * sizeof(Base);
    stretches_[key_of(place.state, anchor.round)] = static_cast<std::uint32_t>(learnt_.size());
    learnt_.push_back(std::move(learnt));
    ++account_.distinct;
    return true;
  }

  // What many stretches have alike is kept once.
  const Needs* share(Needs needs) {
    const auto [found, added] = pool_needs_.insert(std::move(needs));
    if (added) learnt_bytes_ += found->memory();
    return &*found;
  }
  const Tape* share(std::size_t channel, const Stretch& stretch) {
    std::array<bool, kPorts> on_channel{};
    for (std::size_t port = 0; port < kPorts; ++port) {
      on_channel[port] = config_.port_channel[port] == channel_numbers_[channel];
    }
    Tape tape = Tape::of(stretch, on_channel, plan_->alpha.beat_bytes());
    tape.number = ++tapes_;
    const auto [found, added] = pool_tapes_[channel].insert(std::move(tape));
    if (added) learnt_bytes_ += found->memory();
    return &*found;
  }

  // Walks one stretch from at_, if the memory is fast enough for it; otherwise at_ stays as it is.
  bool advance(Learnt& learnt) {
    const Stretch& stretch = learnt.stretch;
    next_.read = at_.read;
    next_.channels = at_.channels;
    next_.assumed = at_.assumed;
    next_.last_answer = at_.last_answer;
    next_.now = at_.now + stretch.cycles;
    for (const Run& run : stretch.answers) {
      for (std::int64_t i = 0; i < run.count; ++i) next_.assumed.push_back(at_.now + run.first + i);
    }
    RowCounts rows{};
    if (is_ddr4() ? !through_ddr4(learnt, rows) : !through_ideal(stretch)) return false;
    for (std::size_t port = 0; port < 2; ++port) {
      if (!next_.read[port].in_time(at_.now, *learnt.needs[port])) return false;
      next_.read[port].take(stretch.read[port].taken);
    }
    next_.windows = next_anchor(at_.windows);
    next_.state = stretch.next;
    std::swap(at_, next_);
    ++learnt.uses;
    account_.walked += stretch.cycles;
    for (std::size_t port = 0; port < kPorts; ++port) {
      for (std::size_t kind = 0; kind < 3; ++kind) rows_[port][kind] += rows[port][kind];
    }
    return true;
  }

  bool through_ddr4(Learnt& learnt, RowCounts& rows) {
    const std::int64_t round = anchor(at_).round;
    delivery_.read = {&next_.read[0], &next_.read[1]};
    delivery_.answers.clear();
    delivery_.rows = {};
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const Tape& tape = *learnt.tapes[i];
      bases_.clear();
      for (const Base& base : tape.bases) bases_.push_back(base_address(*plan_, round, base));
      channels_[i]->walk(next_.channels[i], at_.now, tape, bases_, delivery_);
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

  bool through_ideal(const Stretch& stretch) {
    for (const Event& event : stretch.events) {
      if (event.transfer != Transfer::Read) continue;
      next_.read[event.port].push(at_.now + event.cycle + 1 + config_.ideal_latency_cycles, event.beats);
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
  void replay(const Learnt& learnt) {
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(config_);
    Coupled coupled(plan_, *memory, config_.port_channel);
    restore(before_, coupled, *memory);
    const auto fail = [&](const char* what) {
      throw Error(fmt::format("the replay of cycles {} to {} differs in {}; this is an error of the exact rung",
                              before_.now, at_.now, what));
    };
    if (coupled.run(at_.windows) || coupled.now() != at_.now) fail("its length");
    if (coupled.activities() != learnt.stretch.activities) fail("what the blocks did");
    std::vector<std::int64_t> rows;
    for (const auto& channel : at_.channels) rows.push_back(channel.row);
    const Place place = place_of(coupled, *memory, rows);
    if (at_.assumed.empty() && place.state != at_.state) fail("the state of the kernel");
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      if (place.channels[i].state != at_.channels[i].state) fail("the state of a memory channel");
      if (place.channels[i].refresh_due != at_.channels[i].refresh_due) fail("the next refresh");
    }
    for (std::size_t port = 0; port < 2; ++port) {
      if (place.read[port].last() != at_.read[port].last() || place.read[port].size() != at_.read[port].size()) {
        fail("the data under way");
      }
    }
    ++account_.verified;
  }

  void settle_uses(Learnt& learnt) {
    const Stretch& stretch = learnt.stretch;
    for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
      for (std::size_t i = 0; i < 4; ++i) {
        walked_.activities[block].cycles[i] += learnt.uses * stretch.activities[block].cycles[i];
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      memory::PortStats& port = walked_.ports[i];
      port.read_beats += learnt.uses * stretch.read[i].taken;
      port.read_bursts += learnt.uses * stretch.read[i].bursts;
      port.busy_cycles += learnt.uses * stretch.read[i].busy;
      port.wait_cycles += learnt.uses * stretch.read[i].wait;
    }
    memory::PortStats& out = walked_.ports[static_cast<std::size_t>(Port::Out)];
    out.write_bursts += learnt.uses * stretch.writes;
    out.write_beats += learnt.uses * stretch.written;
    out.busy_cycles += learnt.uses * stretch.write_busy;
    out.wait_cycles += learnt.uses * stretch.write_wait;
    learnt.uses = 0;
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
  std::unordered_set<Needs, NeedsHash> pool_needs_;
  std::vector<std::unordered_set<Tape, TapeHash>> pool_tapes_;  // of each channel
  std::size_t learnt_bytes_ = 0;
  tsl::robin_map<StretchKey, std::uint32_t, StretchHash> stretches_;
  std::vector<std::unique_ptr<Ddr4Channel>> channels_;
  std::uint32_t tapes_ = 0;

  Place at_, next_, before_;
  std::vector<Address> bases_;
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
  for (auto& learnt : learnt_) settle_uses(*learnt);
  result.convolution = fpgpt::collect(coupled_.kernel(), coupled_.activities(), coupled_.now(), *memory_);
  for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
    for (std::size_t i = 0; i < 4; ++i) {
      result.convolution.activities[block].cycles[i] += walked_.activities[block].cycles[i];
    }
  }
  result.convolution.limiter = fpgpt::limiter(plan_->beta.kind, result.convolution.activities);
  for (std::size_t i = 0; i < kPorts; ++i) {
    memory::PortStats& port = result.convolution.ports[i];
    const memory::PortStats& walked = walked_.ports[i];
    port.read_beats += walked.read_beats;
    port.read_bursts += walked.read_bursts;
    port.write_bursts += walked.write_bursts;
    port.write_beats += walked.write_beats;
    port.busy_cycles += walked.busy_cycles;
    port.wait_cycles += walked.wait_cycles;
    port.row_hits += rows_[i][0];
    port.row_misses += rows_[i][1];
    port.row_conflicts += rows_[i][2];
  }
  account_.simulated = coupled_.stepped() + coupled_.quiet();
  result.convolution.skipped_cycles = account_.walked + coupled_.quiet();
  result.account = account_;
  return result;
}

}  // namespace

ExactAccount& ExactAccount::operator+=(const ExactAccount& other) {
  for (const auto member :
       {&ExactAccount::simulated, &ExactAccount::walked, &ExactAccount::learnt, &ExactAccount::stretches,
        &ExactAccount::distinct, &ExactAccount::memory_steps, &ExactAccount::verified}) {
    this->*member += other.*member;
  }
  memo_bytes = std::max(memo_bytes, other.memo_bytes);
  return *this;
}

ExactResult run_exact(const Plan& plan, const memory::MemoryConfig& memory, const ExactOptions& options) {
  return ExactRun(plan, memory, options).run();
}

}  // namespace weft::engine
