#include "model/fpgpt/exact/joint_memo.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "model/core/error.h"
#include "model/engine/mapping_signature.h"
#include "model/fpgpt/exact/snapshot.h"
#include "model/stream/ports.h"

namespace weft::fpgpt::exact {

namespace {

// Ratio of an interval to a stride, in cycles without stalls; with stalls a stride takes some hundred to a thousand
// cycles. Shorter steps need more look-ups, longer ones recur less often.
constexpr Cycles kStepsPerInterval = 192;
constexpr memory::Nck kNeverDue = std::numeric_limits<memory::Nck>::max();

memory::Ddr4Memory& ddr4(memory::Memory& memory) {
  return static_cast<memory::Ddr4Memory&>(memory);
}

memory::PortStats minus(memory::PortStats stats, const memory::PortStats& before) {
  for (const memory::PortStats::Field& field : memory::PortStats::fields()) stats.*field.count -= before.*field.count;
  return stats;
}

bool draining(const Kernel& kernel) {
  return kernel.plan->gw() ? kernel.out.constructor_gw.draining(*kernel.plan) : kernel.out.constructor_fgi.draining();
}

std::uint8_t larger(std::uint8_t lookahead, std::int64_t observed) {
  return static_cast<std::uint8_t>(std::max<std::int64_t>(lookahead, observed));
}

}  // namespace

void JointMemo::begin(const Setting& setting, WriteAnswer answer) {
  setting_ = &setting;
  distinct_ = 0;
  recorded_cycles_ = 0;
  simulator_.reset();
  gave_up_ = false;
  rows_ = {};
  if (!setting.is_ddr4()) return;
  answer_ = answer;
  joint_channels_ = JointChannels(setting, channels_);
  bases_.emplace(*setting.plan);
  delivery_.resize(kPorts);
  partition_.emplace(*setting.plan, ceil_div(setting.interval_cycles, kStepsPerInterval));
  clocks_.emplace(setting.memory.kernel_clock, setting.memory.ddr4.data_rate_mtps);
  refi_nck_ = setting.memory.ddr4.timing.refi_nck;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    for (const std::size_t port : channels_.ports(i)) channel_of_port_[port] = i;
  }
  alignment_.begin(*setting.plan, partition_->rounds(StepLength::kMost));
  length_ = {};
  beat_to_beat_.begin(*setting.plan);
}

std::uint32_t JointMemo::number(const JointState& joint, JointRun& joint_run, memory::Memory& memory) {
  save(saved_, *setting_, channels_, joint_channels_, joint, joint_run, ddr4(memory));
  const std::uint32_t number = number_of(saved_);
  if (observed_.size() <= number) {
    observed_.resize(number + 1);
    Observed& observed = observed_[number];
    const Kernel& kernel = joint_run.kernel();
    observed.lookahead = look_back(*setting_, kernel, anchor(joint));
    observed.readers[0] = look_back(*setting_, 0, kernel.inp.reader, anchor(joint));
    observed.readers[1] = look_back(*setting_, 1, kernel.kern.reader, anchor(joint));
  }
  return number;
}

std::uint32_t JointMemo::number_of(const JointParts& parts) {
  Parts numbers{};
  for (std::size_t i = 0; i < parts.size(); ++i) numbers[i] = parts_.number(parts[i]);
  const Key<3> key{two(numbers[0], numbers[1]), two(numbers[2], numbers[3]), numbers[4]};
  const std::uint32_t number = state_of_.number(key, static_cast<std::uint32_t>(states_.size()));
  if (number == states_.size()) states_.push_back(numbers);
  return number;
}

JointParts JointMemo::parts_of(std::uint32_t state) const {
  JointParts parts;
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = parts_.bytes(states_[state][i]);
  return parts;
}

// Returns the joint state without the decoupled channels.
JointState JointMemo::joint_state(JointRun& joint_run, memory::Memory& memory) {
  JointState joint;
  joint.now = joint_run.now();
  joint.windows = joint_run.kernel().inp.im2col.windows_emitted(*setting_->plan);
  joint.channels.resize(channels_.size());
  for (const std::size_t i : joint_channels_.joint) {
    const int channel = channels_.number(i);
    ddr4(memory).settle(channel, joint.now);
    joint.channels[i].row = joint_run.last_address(channel) >> memory::kRowBit;
    joint.channels[i].refresh_due = ddr4(memory).controller(channel).refresh_due();
  }
  joint.state = number(joint, joint_run, memory);
  return joint;
}

JointState JointMemo::enter(JointRun& joint_run, memory::Memory& memory) {
  for (const std::size_t i : joint_channels_.decoupled) ddr4(memory).settle(channels_.number(i), joint_run.now());
  JointState joint = joint_state(joint_run, memory);
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const std::int64_t row = joint_run.last_address(channels_.number(i)) >> memory::kRowBit;
    joint.channels[i] = channels_[i].enter(ddr4(memory), joint.now, row);
  }
  joint.last_answer = ddr4(memory).returned(port_id(Port::Out)).last_response();
  return joint;
}

void JointMemo::load_joint(const JointState& joint, JointRun& joint_run, memory::Memory& memory) const {
  JointParts parts = parts_of(joint.state);
  load(parts, *setting_, channels_, joint_channels_, joint, joint_run, ddr4(memory));
}

void JointMemo::leave(const JointState& joint, JointRun& joint_run, memory::Memory& memory) const {
  load_joint(joint, joint_run, memory);
  for (const std::size_t i : joint_channels_.decoupled) {
    channels_[i].leave(joint.channels[i], ddr4(memory), joint.now);
    joint_run.note_address(channels_.number(i), joint.channels[i].row << memory::kRowBit);
  }
  if (!joint_channels_.out_decoupled) return;
  stream::BeatQueue& responses = joint_run.kernel().out.port.responses;
  responses = without_last(responses, static_cast<std::int64_t>(joint.assumed.size()));
  ddr4(memory).returned(port_id(Port::Out)).follow(-1, joint.last_answer);
}

std::int64_t JointMemo::target(const JointState& joint, int strides) const {
  return std::min(partition_->next(joint.windows, strides), setting_->partition.next(joint.windows));
}

// Returns the bank/row signature of the requests of a port, relative to the last row.
std::int64_t JointMemo::address_signature(std::size_t port, const Requested& requested, const JointState& joint) {
  if (!requested.any) return 0;
  const Plan& plan = *setting_->plan;
  const std::int64_t round = anchor(joint).round, row = joint.channels[channel_of_port_[port]].row;
  const auto base = [&](std::int64_t pass) {
    const std::int64_t number = port == static_cast<std::size_t>(Port::Inp) ? pass * plan.groups : pass;
    return base_address(plan, round, base_of(static_cast<Port>(port), number));
  };
  if (requested.first_pass == requested.last_pass) {
    const Address of = base(requested.first_pass);
    return engine::range_signature(setting_->memory.ddr4.map, of + requested.first, of + requested.last, row) * 2 + 1;
  }
  std::uint32_t sequence = sequences_.number(0, requested.first_pass);
  for (std::int64_t pass = requested.first_pass; pass <= requested.last_pass; ++pass) {
    sequence = sequences_.number(sequence, base(pass) - (row << memory::kRowBit));
  }
  return std::int64_t{sequence} * 2;
}

JointMemo::StepKey JointMemo::key_of(const JointState& joint, std::int64_t end) {
  const std::int64_t round = anchor(joint).round;
  const Observed& observed = observed_[joint.state];
  const std::uint32_t front = alignment_.front(round, observed.lookahead);
  const std::uint32_t out = observed.lookahead.out ? alignment_.out(round) : 0;
  StepKey key{two(joint.state, front),
              two(alignment_.pages(0, round, observed.readers[0]), alignment_.pages(1, round, observed.readers[1])),
              two(out, static_cast<std::uint32_t>(end - joint.windows))};
  for (std::size_t port = 0; port < kPorts; ++port) {
    key.set(3 + port, static_cast<std::uint64_t>(address_signature(port, observed.requested[port], joint)));
  }
  // Neighbouring rounds in the same pass have the same INP.
  const std::int64_t groups = setting_->plan->groups, group = round % groups;
  key.set(6, two(static_cast<std::uint32_t>(std::min<std::int64_t>(groups - group, observed.readers[0].ahead + 1)),
                 static_cast<std::uint32_t>(std::min<std::int64_t>(group, observed.readers[0].back))));
  return key;
}

Key<3> JointMemo::refresh_key(std::uint32_t family, const JointState& joint) const {
  std::array<std::uint32_t, kPorts> distances{};
  const memory::Nck now = clocks_->first_edge(joint.now);
  for (const std::size_t i : joint_channels_.joint) {
    const memory::Nck distance =
        std::min<memory::Nck>(joint.channels[i].refresh_due - now, std::numeric_limits<std::int32_t>::max());
    distances[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(distance));
  }
  return Key<3>{family, two(distances[0], distances[1]), distances[2]};
}

bool JointMemo::refreshed(const JointState& joint, Cycles cycles) const {
  const memory::Nck end = clocks_->first_edge(joint.now + cycles);
  return std::any_of(joint_channels_.joint.begin(), joint_channels_.joint.end(),
                     [&](std::size_t i) { return joint.channels[i].refresh_due < end; });
}

const JointStep* JointMemo::after(const JointState& joint) {
  if (observed_[joint.state].strides == 0) observed_[joint.state].strides = length_.strides();
  const int strides = std::min(observed_[joint.state].strides, length_.longest());
  if (strides > 1) {
    if (const JointStep* const step = find_or_record(joint, strides)) return step;
    length_.shorten();
  }
  const JointStep* const step = find_or_record(joint, 1);
  gave_up_ = !step && target(joint, 1) <= setting_->plan->inp.count();
  return step;
}

// Also returns nullptr if the step exceeds the look-ahead limit.
const JointStep* JointMemo::find_or_record(const JointState& joint, int strides) {
  const std::int64_t end = target(joint, strides);
  if (end > setting_->plan->inp.count()) return nullptr;
  const JointStep* step = known(joint, end);
  length_.met(step);
  if (!step) step = record(joint, end);
  return step && fits(*setting_->plan, anchor(joint), step->footprint) ? step : nullptr;
}

const JointStep* JointMemo::known(const JointState& joint, std::int64_t end) {
  const std::uint32_t family = family_of_.find(key_of(joint, end));
  if (family == kUnknown) return nullptr;
  const std::uint32_t without = without_[family];
  if (without != kUnknown && !refreshed(joint, steps_[without].cycles)) return &steps_[without];
  const std::uint32_t with = with_.find(refresh_key(family, joint));
  return with == kUnknown ? nullptr : &steps_[with];
}

bool JointMemo::advance(JointState& joint, const JointStep& step) {
  next_ = joint;
  next_.windows = joint.windows + step.windows;
  next_.now = joint.now + step.cycles;
  next_.state = step.next;
  for (const std::size_t i : joint_channels_.joint) {
    next_.channels[i].row += step.channels[i].rows;
    next_.channels[i].refresh_due += step.channels[i].refreshes * refi_nck_;
  }
  for (const engine::Run& run : step.answers) {
    for (std::int64_t i = 0; i < run.count; ++i) next_.assumed.push_back(joint.now + run.first + i);
  }
  clear(delivery_);
  for (const std::size_t i : joint_channels_.decoupled) {
    const engine::RequestTrace& trace = *step.traces[i];
    channels_[i].replay(next_.channels[i], joint.now, trace, bases_->of(trace, anchor(joint).round), delivery_);
  }
  if (joint_channels_.out_decoupled &&
      !confirm(delivery_[static_cast<std::size_t>(Port::Out)].answers, next_.now, next_.assumed, next_.last_answer)) {
    return false;
  }
  for (std::size_t port = 0; port < kPorts; ++port) {
    for (std::size_t kind = 0; kind < 3; ++kind) rows_[port][kind] += delivery_[port].rows[kind];
  }
  std::swap(joint, next_);
  return true;
}

const JointStep* JointMemo::record(const JointState& joint, std::int64_t end) {
  JointStep step;
  step.windows = static_cast<std::int32_t>(end - joint.windows);
  Observed observed;
  if (!simulate(joint, step, observed) || !fits(*setting_->plan, anchor(joint), step.footprint)) return nullptr;
  widen(observed_[joint.state], observed);
  steps_.push_back(step);
  record_step(joint, static_cast<std::uint32_t>(steps_.size() - 1));
  ++distinct_;
  recorded_cycles_ += step.cycles;
  return &steps_.back();
}

// Called after the observations of the state are widened, because they are part of the key.
void JointMemo::record_step(const JointState& joint, std::uint32_t step) {
  const std::uint32_t family = family_of_.number(key_of(joint, joint.windows + steps_[step].windows),
                                                 static_cast<std::uint32_t>(without_.size()));
  if (family == without_.size()) without_.push_back(kUnknown);
  if (refreshed(joint, steps_[step].cycles)) {
    with_.number(refresh_key(family, joint), step);
  } else {
    without_[family] = step;
  }
}

JointMemo::Before JointMemo::before() {
  JointRun& joint_run = simulator_->joint_run;
  const Kernel& kernel = joint_run.kernel();
  memory::Memory& memory = *simulator_->memory;
  return {
      joint_run.activities(),
      kernel.array.starved(),
      {stream::port_stats(memory, port_id(Port::Inp), kernel.inp.port),
       stream::port_stats(memory, port_id(Port::Kern), kernel.kern.port),
       stream::port_stats(memory, port_id(Port::Out), kernel.out.port)},
      {kernel.inp.reader.request_index(setting_->plan->inp), kernel.kern.reader.request_index(setting_->plan->kern)},
      kernel.fifos[FifoId::OutGroup].pushed(),
      draining(kernel)};
}

// Returns false if the convolution ends in the step or the look-ahead limit is exceeded.
bool JointMemo::simulate(const JointState& joint, JointStep& step, Observed& observed) {
  const auto is = [&joint](const JointState& at) { return at.now == joint.now && at.state == joint.state; };
  if (!simulator_) {
    simulator_.emplace(*setting_);
    simulator_->joint_run.look_up(&beat_to_beat_);
  }
  JointRun& joint_run = simulator_->joint_run;
  memory::Memory& memory = *simulator_->memory;
  if (!simulator_->at || !is(*simulator_->at)) {
    load_joint(joint, joint_run, memory);
    for (const std::size_t i : joint_channels_.decoupled)
      ddr4(memory).controller(channels_.number(i)).set_refresh_due(kNeverDue);
  }
  simulator_->at.reset();
  joint_run.clear_written();
  AnsweredWrites& writes = simulator_->writes;
  writes = AnsweredWrites(*setting_->plan, anchor(joint), answer_);
  if (joint_channels_.out_decoupled) joint_run.answer_writes(&writes);
  const Before from = before();
  if (joint_run.run(joint.windows + step.windows)) return false;

  const JointState end = joint_state(joint_run, memory);
  const Before to = before();
  step.next = end.state;
  step.cycles = static_cast<std::int32_t>(end.now - joint.now);
  JointCounts counts;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    for (std::size_t i = 0; i < counts.activities[block].cycles.size(); ++i) {
      counts.activities[block].cycles[i] = to.activities[block].cycles[i] - from.activities[block].cycles[i];
    }
  }
  for (std::size_t i = 0; i < counts.array_starved.size(); ++i) {
    counts.array_starved[i] = to.array_starved[i] - from.array_starved[i];
  }
  for (std::size_t port = 0; port < kPorts; ++port) counts.ports[port] = minus(to.ports[port], from.ports[port]);
  for (std::size_t port = 0; port < 2; ++port) {
    counts.ports[port].read_beats = counts.ports[port].busy_cycles;  // as in collect()
  }
  if (joint_channels_.out_decoupled) {
    memory::PortStats& out = counts.ports[static_cast<std::size_t>(Port::Out)];
    out.write_bursts = writes.bursts;
    out.write_beats = writes.beats;
  }
  step.counts = intern(counts);
  step.answers = std::move(writes.answers);
  for (const std::size_t i : joint_channels_.joint) {
    step.channels[i] = {
        static_cast<std::int32_t>(end.channels[i].row - joint.channels[i].row),
        static_cast<std::int32_t>((end.channels[i].refresh_due - joint.channels[i].refresh_due) / refi_nck_)};
  }
  const Plan& plan = *setting_->plan;
  for (const std::size_t i : joint_channels_.decoupled) {
    const std::vector<std::size_t>& ports = channels_.ports(i);
    const bool out = std::find(ports.begin(), ports.end(), static_cast<std::size_t>(Port::Out)) != ports.end();
    std::vector<const engine::Transfers*> sent;
    if (out) sent.push_back(&writes.sent);
    step.traces[i] = shared_.keep(engine::RequestTrace::of(step.cycles, sent, beat_bytes_of(plan.alpha)));
  }
  step.footprint = footprint(plan, joint_run.kernel(), anchor(joint));
  observe(joint, from, step, observed);
  simulator_->at = end;
  const std::int64_t rounds = (step.footprint.windows - 1) / partition_->round_windows();
  return std::max({rounds, std::int64_t{step.footprint.passes}, std::int64_t{observed.readers[0].ahead},
                   std::int64_t{observed.readers[1].ahead},
                   std::int64_t{observed_[joint.state].lookahead.rounds_back} + 1,
                   std::int64_t{observed_[joint.state].lookahead.passes_back} + 1}) <= kMaxLookahead;
}

JointCounts* JointMemo::intern(JointCounts counts) {
  std::string bytes;
  Relative values(bytes, false);
  for (Activities& block : counts.activities) {
    for (Cycles& cycles : block.cycles) values.value(cycles);
  }
  for (Cycles& cycles : counts.array_starved) values.value(cycles);
  for (memory::PortStats& port : counts.ports) {
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) values.value(port.*field.count);
  }
  const std::uint32_t number = counts_of_.number(bytes);
  if (number == counts_.size()) counts_.push_back(counts);
  return &counts_[number];
}

// Records the look-ahead and the addresses of a step that was just simulated.
void JointMemo::observe(const JointState& joint, const Before& before, const JointStep& step,
                        Observed& observed) const {
  const Plan& plan = *setting_->plan;
  const Anchor at = anchor(joint);
  const Kernel& kernel = simulator_->joint_run.kernel();
  const auto most = [](std::int64_t value) { return std::clamp<std::int64_t>(value, 0, kMaxLookahead + 1); };
  observed.lookahead.rounds = larger(0, most((step.footprint.windows - 1) / partition_->round_windows()));
  observed.lookahead.passes = larger(0, most(step.footprint.passes - 1));
  // OUT's state is relative to the words of the round, so that its end reveals their number.
  const bool uneven = !plan.gw() && plan.last_group_rows != plan.alpha.y;
  const auto done = [&](Block block, Activity activity) {
    return step.counts->activities[static_cast<std::size_t>(block)].cycles[static_cast<std::size_t>(activity)] > 0;
  };
  observed.lookahead.out = before.draining || draining(kernel) ||
                           kernel.fifos[FifoId::OutGroup].pushed() != before.out_groups ||
                           done(Block::OutEncode, Activity::Active) || done(Block::OutWriter, Activity::Active) ||
                           done(Block::OutWriter, Activity::Blocked) ||
                           (uneven && setting_->partition.anchor(0, joint.windows + step.windows).round > at.round);
  const std::array<std::int64_t, 2> next_ranges{kernel.inp.reader.request_index(plan.inp),
                                                kernel.kern.reader.request_index(plan.kern)};
  for (std::size_t port = 0; port < 2; ++port) {
    const std::int64_t ranges = next_ranges[port] - setting_->first_range(port, at);
    observed.readers[port].ahead = larger(0, most(ranges / (port == 0 ? partition_->round_windows() : 1)));
    if (step.counts->ports[port].read_bursts > 0)
      observed.requested[port] = requested_of(port, at, before.next_ranges[port], next_ranges[port]);
  }
  const JointRun::Extent& written = simulator_->joint_run.written();
  if (written.empty()) return;
  const Address base = base_address(plan, at.round, base_of(Port::Out, 0));
  observed.requested[static_cast<std::size_t>(Port::Out)] = {true, 0, 0, written.first - base, written.last - base};
}

// Returns the addresses of the ranges `first_range` to `last_range`, as whole ranges.
JointMemo::Requested JointMemo::requested_of(std::size_t port, const Anchor& at, std::int64_t first_range,
                                             std::int64_t last_range) const {
  const Plan& plan = *setting_->plan;
  const stream::RangeLoop& loop = setting_->loop(port);
  const Bytes beat = plan.alpha.beat_bytes(static_cast<Port>(port));
  const bool inp = port == 0;
  const std::int64_t ranges = inp ? plan.groups * loop.s * loop.c : 1;  // of a pass
  Requested requested;
  for (std::int64_t i = first_range; i <= last_range && i < loop.count();) {
    const std::int64_t next = std::min(i - i % loop.c + loop.c, last_range + 1);
    const std::int64_t pass = i / ranges - at.pass(plan);
    const Address base =
        base_address(plan, at.round, base_of(static_cast<Port>(port), inp ? pass * plan.groups : pass));
    // Ranges of one loop over c are contiguous.
    for (const std::int64_t end : {i, next - 1}) {
      stream::RangeCursor range;
      range.seek(loop, end);
      const Address first = range.start(loop) / loop.band * beat - base;
      const Address last = first + range.read_beats(loop) * beat - 1;
      if (!requested.any) requested = {true, static_cast<std::int32_t>(pass), 0, first, last};
      requested.last_pass = static_cast<std::int32_t>(pass);
      requested.first = std::min(requested.first, first);
      requested.last = std::max(requested.last, last);
    }
    i = next;
  }
  return requested;
}

void JointMemo::widen(Observed& observed, const Observed& by) {
  observed.lookahead.rounds = std::max(observed.lookahead.rounds, by.lookahead.rounds);
  observed.lookahead.passes = std::max(observed.lookahead.passes, by.lookahead.passes);
  observed.lookahead.out = observed.lookahead.out || by.lookahead.out;
  for (std::size_t port = 0; port < 2; ++port) {
    observed.readers[port].ahead = std::max(observed.readers[port].ahead, by.readers[port].ahead);
  }
  for (std::size_t port = 0; port < kPorts; ++port) {
    Requested& requested = observed.requested[port];
    const Requested& more = by.requested[port];
    if (!more.any) continue;
    if (!requested.any) {
      requested = more;
      continue;
    }
    requested = {true, std::min(requested.first_pass, more.first_pass), std::max(requested.last_pass, more.last_pass),
                 std::min(requested.first, more.first), std::max(requested.last, more.last)};
  }
}

void JointMemo::verify(const JointState& before, const JointStep& step, const JointState& after) {
  const std::unique_ptr<memory::Memory> memory = setting_->make_memory();
  JointRun joint_run(setting_->plan, *memory, setting_->memory.port_channel);
  leave(before, joint_run, *memory);
  const auto fail = [&](const char* what) {
    throw Mismatch(
        fmt::format("the replay of cycles {} to {}, in which kernel and memory wait for each other, differs "
                    "in {}; this is an error of the exact rung",
                    before.now, after.now, what));
  };
  if (joint_run.run(after.windows) || joint_run.now() != after.now) fail("its length");
  if (joint_run.activities() != step.counts->activities) fail("what the blocks did");
  if (joint_run.kernel().array.starved() != step.counts->array_starved) fail("what the array waited for");
  // States are relative to the row of any address: here to that of the step's.
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    joint_run.note_address(channels_.number(i), after.channels[i].row << memory::kRowBit);
  }
  const JointState joint = enter(joint_run, *memory);
  if (after.assumed.empty() && joint.state != after.state) fail("the state of kernel and memory");
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (joint.channels[i].refresh_due != after.channels[i].refresh_due) fail("the next refresh");
  }
  for (const std::size_t i : joint_channels_.decoupled) {
    if (joint.channels[i].state != after.channels[i].state) fail("the state of a memory channel");
  }
}

void JointMemo::evict() {
  simulator_.reset();
  beat_to_beat_.evict();
  alignment_.evict();
  parts_ = {};
  state_of_ = {};
  states_.clear();
  counts_of_ = {};
  counts_.clear();
  observed_.clear();
  sequences_ = {};
  steps_.clear();
  family_of_ = {};
  without_.clear();
  with_ = {};
}

void JointMemo::evict_except(JointState& joint) {
  const JointParts parts = parts_of(joint.state);
  Observed observed;  // look-back only; the look-ahead is recorded again
  observed.lookahead.rounds_back = observed_[joint.state].lookahead.rounds_back;
  observed.lookahead.passes_back = observed_[joint.state].lookahead.passes_back;
  for (std::size_t i = 0; i < 2; ++i) observed.readers[i].back = observed_[joint.state].readers[i].back;
  evict();
  joint.state = number_of(parts);
  observed_.assign(1, observed);
}

std::size_t JointMemo::memory() const {
  return parts_.memory() + memory_of(state_of_) + states_.size() * sizeof(Parts) + counts_of_.memory() +
         counts_.size() * sizeof(JointCounts) + alignment_.memory() + sequences_.memory() +
         observed_.size() * sizeof(Observed) + steps_.size() * sizeof(JointStep) + memory_of(family_of_) +
         memory_of(with_) + without_.size() * sizeof(std::uint32_t) + beat_to_beat_.memory();
}

}  // namespace weft::fpgpt::exact
