#include "model/fpgpt/exact/beat_to_beat.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "model/fpgpt/result.h"

namespace weft::fpgpt::exact {

namespace {

constexpr Cycles kLongestGap = 31;  // of a step
// Beats of a step. Often several are consecutive; with more beats per step the table exceeds the cache.
constexpr std::int64_t kMostBeats = 6;
constexpr std::int64_t kWindowsAhead = 8;  // fewer are not worth a pass
constexpr std::int64_t kShapes = 8;        // ranges whose alignment fits one number
constexpr std::array kFifosOfInp{FifoId::InpBeat, FifoId::InpWord, FifoId::InpGroup, FifoId::InpColumn,
                                 FifoId::KernRow};

bool at_rest(Activity activity) {
  return activity != Activity::Active;
}

bool empty(const Fifo& fifo) {
  return fifo.pushed() == fifo.popped();
}

// Returns true if no block of OUT acts before it gets a row.
bool out_rests(const Kernel& kernel) {
  const OutSubsystem& out = kernel.out;
  return std::all_of(kBlocksOfOut.begin(), kBlocksOfOut.end(),
                     [&](Block block) { return at_rest(kernel.last(block)); }) &&
         !out.constructor_fgi.draining() && out.port.outstanding == (out.writer.burst_open() ? 1 : 0) &&
         empty(kernel.fifos[FifoId::OutRow]) && empty(kernel.fifos[FifoId::OutGroup]) &&
         empty(kernel.fifos[FifoId::OutBeat]);
}

// Counts cycles in which OUT is idle.
void rest(Kernel& kernel, Cycles cycles, BlockActivities& activities) {
  for (const Block block : kBlocksOfOut) activities[static_cast<std::size_t>(block)].add(kernel.last(block), cycles);
  if (kernel.out.port.outstanding > 0) kernel.out.port.wait_cycles += cycles;
}

// Returns true if OUT accepts the next rows without stalling the array.
bool takes_rows(const Kernel& kernel, std::int64_t rows) {
  const Fifo& fifo = kernel.fifos[FifoId::OutRow];
  return fifo.depth() > 1 &&
         fifo.pushed() - fifo.popped() + rows <= kernel.out.constructor_fgi.takes_rows(*kernel.plan);
}

}  // namespace

void BeatToBeat::begin(const Plan& plan) {
  plan_ = &plan;
  flat_ = plan.alpha.profile.overlap_drain && plan.spacing == plan.m;
  ranges_from_ = ranges_to_ = 0;
  cursor_ = {};
  if (usable() || plan.gw() || plan.with_data) return;
  shape_ranges();
}

// Numbers the alignment classes of ranges. To the reader and the later blocks a range is determined by the position of
// its first word in a beat, and by its beats up to the end of the page.
void BeatToBeat::shape_ranges() {
  const stream::RangeLoop& loop = plan_->inp;
  page_beats_ = stream::kPageBytes / plan_->alpha.beat_bytes(Port::Inp);
  band_ = Divider(loop.band);
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint8_t> numbers;
  beats_of_.assign(1, 0);
  for (Words word = 0; word < page_beats_ * loop.band; ++word) {
    const std::int64_t offset = word % loop.band;
    const std::int64_t beats = std::max(ceil_div(offset + loop.words, loop.band), loop.floor_beats);
    const std::int64_t of_page = std::min(page_beats_ - word / loop.band, beats);
    const auto number = static_cast<std::uint8_t>(numbers.size() + 1);
    const auto known = numbers.emplace(std::pair(offset, of_page), number);
    if (known.second) beats_of_.push_back(static_cast<std::uint8_t>(std::min(beats, kMostBeats)));
    shapes_.push_back(known.first->second);
    if (numbers.size() == std::numeric_limits<std::uint8_t>::max()) return shapes_.clear();
  }
}

// Adds the ranges `first` to `last`, and kRangesAhead more, to the ring buffers.
inline void BeatToBeat::look_at(std::int64_t first, std::int64_t last) {
  if (first >= ranges_from_ && last < ranges_to_) return;
  const stream::RangeLoop& loop = plan_->inp;
  if (first < ranges_from_ || first > ranges_to_) {
    cursor_.seek(loop, first);
    ranges_from_ = ranges_to_ = first;
  }
  for (const std::int64_t to = last + 1 + kRangesAhead; ranges_to_ < to; ++ranges_to_, cursor_.advance(loop)) {
    const Words start = cursor_.start(loop);
    const std::size_t at = slot(ranges_to_);
    const std::int64_t beat = band_.divide(start), in_page = (beat & (page_beats_ - 1)) * band_.by();
    beats_[at] = beat;
    range_shapes_[at] = range_shapes_[at + kRanges] =
        shapes_[static_cast<std::size_t>(in_page + start - beat * band_.by())];
    sizes_[at] = sizes_[at + kRanges] = beats_of_[range_shapes_[at]];
  }
  ranges_from_ = std::max(ranges_from_, ranges_to_ - kRanges);
}

Anchor BeatToBeat::anchor(std::int64_t window) const {
  const std::int64_t of_round = plan_->sets * plan_->beta.c;
  return {0, window / of_round, window % of_round};
}

// Returns the windows from this one on that are like any other.
std::int64_t BeatToBeat::windows_left(std::int64_t window) const {
  return flat_ ? plan_->inp.count() - window : plan_->beta.c - window % plan_->beta.c;
}

// Returns true if only the feeder of KERN acts, and INP, feeder and array are in one set where ends of sets matter.
bool BeatToBeat::begins(const Kernel& kernel, std::int64_t window) const {
  const Plan& plan = *plan_;
  const KernFeederFgi& feeder = kernel.kern.feeder_fgi;
  if (!feeder.loaded(plan) || !kernel.kern.reader.done(plan.kern) || !at_rest(kernel.last(Block::KernReader)) ||
      !at_rest(kernel.last(Block::KernDecode)) || !empty(kernel.fifos[FifoId::KernBeat]) ||
      !empty(kernel.fifos[FifoId::KernWord])) {
    return false;
  }
  if (flat_) return true;
  const std::int64_t of_set = window % plan.beta.c;
  const Anchor at = anchor(window);
  return of_set * plan.positions > kernel.fifos[FifoId::InpColumn].depth() && feeder.round(plan) == at.round &&
         feeder.cursor().set == at.set(plan);
}

void BeatToBeat::relative(Relative& state, Kernel& kernel, const Anchor& at) const {
  const Plan& plan = *plan_;
  kernel.inp.relative(state, plan, at);
  kernel.inp.reader.relative(state, plan.inp, at.inp_range(plan));
  kernel.inp.port.relative(state);
  kernel.kern.feeder_fgi.relative_loaded(state, plan, FeedCursor::token_of(plan, at));
  std::int64_t cycle = kernel.array.cycle(plan);
  state.from(cycle, kernel.array.cycle_of(plan, at));
  if (state.loading()) kernel.array.seek(plan, cycle);
  for (const FifoId fifo : kFifosOfInp) kernel.fifos[fifo].relative(state);
  for (const Block block : {Block::KernReader, Block::KernDecode}) state.value(kernel.last(block));  // for the counts
}

BeatToBeat::State BeatToBeat::state_of(Kernel& kernel, std::int64_t window) {
  const Plan& plan = *plan_;
  const Anchor at = anchor(window);
  bytes_.clear();
  Relative state(bytes_, false);
  relative(state, kernel, at);
  constexpr std::int64_t kMaxDistance = std::numeric_limits<std::int16_t>::max();
  bool far = false;
  const auto from = [&far](std::int64_t index, std::int64_t first) {
    far = far || std::abs(index - first) > kMaxDistance;
    return static_cast<std::int16_t>(index - first);
  };
  Front front{from(kernel.inp.construct.range_index(plan.inp), window),
              from(kernel.inp.reader.receive_index(plan.inp), window),
              from(kernel.inp.reader.request_index(plan.inp), window),
              from(kernel.kern.feeder_fgi.cursor().token(plan), FeedCursor::token_of(plan, at))};
  if (far) front.request = kMaxDistance;  // exceeds every limit
  return {states_.number(bytes_), front};
}

void BeatToBeat::load(Kernel& kernel, std::uint32_t state, std::int64_t window) const {
  std::string bytes = states_.bytes(state);
  Relative from(bytes, true);
  relative(from, kernel, anchor(window));
}

namespace {

// Returns kShapes consecutive ranges, one byte each.
std::uint64_t eight(const std::uint8_t* from) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

}  // namespace

// Returns the alignment classes of up to kShapes consecutive ranges as one number.
inline std::uint64_t BeatToBeat::shapes_from(std::int64_t range, std::int64_t count) const {
  return eight(&range_shapes_[slot(range)]) & ~std::uint64_t{0} >> 8 * (kShapes - count);
}

// Returns the ranges that `beats` beats belong to, at most kMostBeats, from the first beat of `range` on: the ranges
// with fewer beats before them. All bytes are computed at once, without overflow.
inline std::int64_t BeatToBeat::ranges_of(std::int64_t range, std::int64_t beats) const {
  constexpr std::uint64_t kEach = 0x0101010101010101, kTop = 0x80 * kEach;
  static_assert(kShapes > kMostBeats && kShapes * kMostBeats + 1 < 0x80);
  const std::uint64_t before = (eight(&sizes_[slot(range)]) * kEach) << 8;
  const std::uint64_t enough =
      ((before | kTop) - static_cast<std::uint64_t>(std::max<std::int64_t>(beats, 0)) * kEach) & kTop;
  return kShapes - __builtin_popcountll(enough);
}

BeatToBeat::Step BeatToBeat::simulate(const Kernel& kernel, std::uint32_t state, std::int64_t window, Cycles gap,
                                      std::int64_t beats, std::int64_t last_requested) {
  const Plan& plan = *plan_;
  const stream::RangeLoop& loop = plan.inp;
  Kernel& scratch = scratch_;
  scratch = kernel;
  load(scratch, state, window);
  Fifo& rows = scratch.fifos[FifoId::OutRow];  // always has room
  rows = Fifo(rows.depth(), rows.width(), false);
  scratch.inp.port.data = {};
  if (beats > 0) scratch.inp.port.data.push(gap, beats);
  scratch.inp.port.busy_cycles = scratch.inp.port.wait_cycles = 0;

  Step step;
  BlockActivities activities{};
  const ArrayStarved starved = scratch.array.starved();
  const Cycles cycles = gap + beats;
  for (Cycles cycle = 0; cycle < cycles; ++cycle) {
    stream::RangeCursor range;
    range.seek(loop, scratch.inp.reader.request_index(loop));
    scratch.step_inp(cycle);
    scratch.step_kern(cycle);
    scratch.step_array(cycle);
    account(scratch, activities);
    if (!empty(rows)) rows.pop(cycle);
    if (scratch.last(Block::Array) == Activity::Active) step.array |= std::uint64_t{1} << cycle;
    const stream::ReadPort& port = scratch.inp.port;
    if (!port.requested) continue;
    if (step.requests == kMostRequests) return {};
    const std::int64_t first = port.request.address / plan.alpha.beat_bytes(Port::Inp) - range.start(loop) / loop.band;
    const std::int64_t ahead = range.index(loop) - window;
    constexpr std::int64_t kMost = std::numeric_limits<std::uint8_t>::max();
    if (ahead < 0 || std::max({first, ahead, std::int64_t{port.request.beats}}) > kMost) return {};
    step.request[step.requests++] = {static_cast<std::uint8_t>(cycle), static_cast<std::uint8_t>(port.request.beats),
                                     static_cast<std::uint8_t>(ahead), static_cast<std::uint8_t>(first)};
  }
  const std::int64_t emitted = scratch.inp.im2col.windows_emitted(plan) - window;
  const std::int64_t requested = scratch.inp.reader.request_index(loop) - window;
  // A beat was not taken, or the reader looked at a range outside the key.
  if (scratch.inp.port.data.next_visible() != kNever || requested > last_requested) return {};
  step.next = state_of(scratch, window + emitted);
  step.cycles = static_cast<std::uint8_t>(cycles);
  step.windows = static_cast<std::uint8_t>(emitted);
  Counts counts{};
  std::size_t i = 0;
  const auto count = [&](Cycles counted) { counts[i++] = static_cast<std::uint8_t>(counted); };
  for (std::size_t block = 0; block < kBlocksUpToArray; ++block) {
    const Activities& of = activities[block];
    std::for_each(of.cycles.begin(), of.cycles.end(), count);
  }
  for (std::size_t by = 0; by < starved.size(); ++by) count(scratch.array.starved()[by] - starved[by]);
  count(scratch.inp.port.busy_cycles);
  count(scratch.inp.port.wait_cycles);
  step.counts = counts_of_.number({reinterpret_cast<const char*>(counts.data()), counts.size()});
  if (step.counts == counts_.size()) counts_.push_back(counts);
  step.valid = true;
  return step;
}

// Returns the step with `beats` consecutive beats after `gap` cycles; nullptr if none applies.
inline const BeatToBeat::Step* BeatToBeat::step_from(const Kernel& kernel, const State& state, std::int64_t window,
                                                     std::int64_t left, Cycles gap, std::int64_t beats) {
  const Front front = state.front;
  // Ranges and KERN tokens must suffice for the whole step.
  const std::int64_t most = front.request + 2 + std::max<std::int64_t>(beats, 1);
  if (most > left || most > kMostRanges || front.feed + gap + beats + 1 > left * plan_->positions) return nullptr;
  look_at(std::max<std::int64_t>(window - 1, 0), window + most - 1);
  // Ranges in the key: from the construct block or the next beat to one after the last beat; three from the next
  // request on, plus one per further range of the beats.
  const std::int64_t first = std::min<std::int64_t>(front.construct + 1, front.receive);
  const std::int64_t more = ranges_of(window + front.receive + 1, beats - 1);
  const std::int64_t received = front.receive + 2 + more - first, requested = 3 + more;
  if (std::max(received, requested) > kShapes) return nullptr;
  const Key<3> key{
      std::uint64_t{state.number} << 32 | static_cast<std::uint64_t>(gap) << 8 | static_cast<std::uint64_t>(beats),
      shapes_from(window + first, received), shapes_from(window + front.request, requested)};
  const std::uint32_t index = step_of_.number(key, static_cast<std::uint32_t>(steps_.size()));
  if (index == steps_.size())
    steps_.push_back(simulate(kernel, state.number, window, gap, beats, front.request + requested - 1));
  return steps_[index].valid ? &steps_[index] : nullptr;
}

Cycles BeatToBeat::pass(Kernel& kernel, memory::Ddr4Memory& memory, Cycles now, std::int64_t windows,
                        const StepOut& step_out, BlockActivities& activities, Address& last) {
  const Plan& plan = *plan_;
  std::int64_t window = kernel.inp.im2col.windows_emitted(plan);
  if (!usable() || window + kWindowsAhead > windows || !begins(kernel, window)) return 0;
  bool rests = out_rests(kernel);
  if (!rests && !step_out) return 0;
  const Cycles from = now;
  State state = state_of(kernel, window);
  std::int64_t left = windows_left(window);
  stream::BeatQueue& data = kernel.inp.port.data;
  const Bytes beat_bytes = plan.alpha.beat_bytes(Port::Inp);
  std::array<std::uint16_t, kCountsOfAStep> counts{};
  while (now - from < kMostCycles) {
    memory.advance(now);
    memory.take_known_beats(port_id(Port::Inp), [&data](Cycles first, int count) { data.push(first, count); });
    const Cycles all_known = memory.known_until(now), known = std::min(all_known, now + kLongestGap);
    const Cycles next = std::max(now, data.next_visible());
    const Cycles gap = std::min(next, known) - now;
    std::int64_t beats = next < known ? std::min({data.in_a_row(next), kMostBeats, all_known - next}) : 0;
    const std::int64_t without_row = kernel.array.cycles_without_row(plan);
    const auto fits = [&](const Step* step) {
      if (!step || window + step->windows >= windows) return false;
      const int columns = __builtin_popcountll(step->array);
      if (!step_out && without_row < columns) return false;
      // An array that cannot emit its next row is blocked, even if it is starved too.
      return without_row > columns || takes_rows(kernel, columns + 1);
    };
    const Step* found;
    while (!fits(found = step_from(kernel, state, window, left, gap, beats)) && beats > 1) beats = 1;
    if (!fits(found)) break;
    const Step& step = *found;
    const Counts& counted = counts_[step.counts];
    for (std::size_t i = 0; i < counted.size(); ++i) counts[i] = static_cast<std::uint16_t>(counts[i] + counted[i]);
    const int columns = __builtin_popcountll(step.array);
    const bool rows = without_row < columns;
    for (std::size_t i = 0; i < step.requests; ++i) {
      const Request& request = step.request[i];
      last = (beats_[slot(window + request.range)] + request.first) * beat_bytes;
      memory.send_read(port_id(Port::Inp), now + request.cycle, last, request.beats);
    }
    if (beats > 0) data.pop(beats);
    if (rests && !rows) {
      kernel.array.advance_without_row(plan, columns);
      rest(kernel, step.cycles, activities);
    } else {
      for (Cycles cycle = 0; cycle < step.cycles; ++cycle) {
        if ((step.array >> cycle & 1) != 0 && kernel.array.advance_alone(plan)) {
          kernel.fifos[FifoId::OutRow].push(now + cycle);
          rests = false;
        }
        if (rests) {
          rest(kernel, 1, activities);
        } else {
          step_out(now + cycle);
          rests = out_rests(kernel);
        }
      }
    }
    now += step.cycles;
    window += step.windows;
    left -= step.windows;
    state = step.next;
  }
  if (now == from) return 0;
  load(kernel, state.number, window);
  const std::uint16_t* count = counts.data();
  for (std::size_t block = 0; block < kBlocksUpToArray; ++block) {
    for (Cycles& cycles : activities[block].cycles) cycles += *count++;
  }
  kernel.array.count_starved(ArrayStarved{count[0], count[1]});
  kernel.inp.port.busy_cycles += count[2];
  kernel.inp.port.wait_cycles += count[3];
  return now - from;
}

void BeatToBeat::evict() {
  states_ = {};
  step_of_ = {};
  steps_.clear();
  counts_of_ = {};
  counts_.clear();
}

std::size_t BeatToBeat::memory() const {
  return states_.memory() + step_of_.memory() + steps_.size() * sizeof(Step) + counts_of_.memory() +
         counts_.size() * sizeof(Counts);
}

}  // namespace weft::fpgpt::exact
