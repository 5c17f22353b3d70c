#include "model/fpgpt/exact/mid_set.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "model/fpgpt/result.h"
#include "model/stream/port_traffic.h"

namespace weft::fpgpt::exact {

namespace {

constexpr Cycles kLongestGap = 31;         // of a step
constexpr std::int64_t kWindowsAhead = 8;  // that it is worth while for
constexpr std::array kFifosOfInp{FifoId::InpBeat, FifoId::InpWord, FifoId::InpGroup, FifoId::InpColumn,
                                 FifoId::KernRow};
constexpr std::array kFifosAtRest{FifoId::KernBeat, FifoId::KernWord, FifoId::OutRow, FifoId::OutGroup,
                                  FifoId::OutBeat};

}  // namespace

void MidSet::begin(const Plan& plan) {
  plan_ = &plan;
  if (usable() || plan.gw() || plan.with_data) return;
  shape_ranges();
}

// What a reader, and the blocks behind it, look at of a range: where its words begin in a beat, and after how many of
// its beats a page ends.
void MidSet::shape_ranges() {
  const stream::RangeLoop& loop = plan_->inp;
  const std::int64_t page_beats = stream::kPageBytes / plan_->alpha.beat_bytes();
  page_words_ = page_beats * loop.band;
  pitch_ = loop.pitch_c % page_words_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint8_t> numbers;
  for (Words word = 0; word < page_words_; ++word) {
    const std::int64_t offset = word % loop.band;
    const std::int64_t beats = std::max(ceil_div(offset + loop.words, loop.band), loop.floor_beats);
    const std::int64_t of_page = std::min(page_beats - word / loop.band, beats);
    const auto number = static_cast<std::uint8_t>(numbers.size() + 1);
    shapes_.push_back(numbers.emplace(std::pair(offset, of_page), number).first->second);
    if (numbers.size() == std::numeric_limits<std::uint8_t>::max()) return shapes_.clear();
  }
}

Anchor MidSet::anchor(std::int64_t window) const {
  const std::int64_t of_round = plan_->sets * plan_->beta.c;
  return {0, window / of_round, window % of_round};
}

// That no block but those of INP, the feeder and the array does anything, or will before the end of the set.
bool MidSet::begins(const Kernel& kernel, std::int64_t window) const {
  const Plan& plan = *plan_;
  const std::int64_t of_set = window % plan.beta.c;
  if (of_set * plan.positions <= kernel.fifos[FifoId::InpColumn].depth()) return false;  // the array is in the set too
  const Anchor at = anchor(window);
  const FeedCursor& feed = kernel.kern.feeder_fgi.cursor();
  const auto at_rest = [](Activity activity) { return activity != Activity::Active; };
  return kernel.kern.feeder_fgi.loaded(plan) && kernel.kern.reader.done(plan.kern) &&
         feed.pass * plan.groups + feed.group == at.round && feed.set == at.set(plan) &&
         kernel.array.gives_no_row(plan) && kernel.out.port.outstanding == (kernel.out.writer.burst_open() ? 1 : 0) &&
         !kernel.out.constructor_fgi.draining() && at_rest(kernel.kern.last[0]) && at_rest(kernel.kern.last[1]) &&
         std::all_of(kernel.out.last.begin(), kernel.out.last.end(), at_rest) &&
         std::all_of(kFifosAtRest.begin(), kFifosAtRest.end(),
                     [&kernel](FifoId fifo) { return kernel.fifos[fifo].pushed() == kernel.fifos[fifo].popped(); });
}

// Of the blocks at rest it matters how they count their cycles.
void MidSet::relative(Relative& state, Kernel& kernel, const Anchor& at) const {
  const Plan& plan = *plan_;
  kernel.inp.relative(state, plan, at);
  kernel.inp.reader.relative(state, plan.inp, at.inp_range(plan));
  kernel.inp.port.relative(state);
  kernel.kern.feeder_fgi.relative(state, plan, at);
  kernel.array.relative(state, plan, at);
  for (const FifoId fifo : kFifosOfInp) kernel.fifos[fifo].relative(state);
  for (std::size_t i = 0; i < 2; ++i) state.value(kernel.kern.last[i]);
  for (Activity& last : kernel.out.last) state.value(last);
}

std::uint32_t MidSet::number(Kernel& kernel, std::int64_t window) {
  const Plan& plan = *plan_;
  const Anchor at = anchor(window);
  bytes_.clear();
  Relative state(bytes_, false);
  relative(state, kernel, at);
  const std::uint32_t number = states_.number(bytes_);
  if (number == fronts_.size()) {
    const std::int64_t range = at.inp_range(plan);
    const auto from = [range](std::int64_t index) { return static_cast<std::int32_t>(index - range); };
    Front front{from(kernel.inp.construct.range_index(plan.inp)), from(kernel.inp.reader.receive_index(plan.inp)),
                from(kernel.inp.reader.request_index(plan.inp)),
                static_cast<std::int32_t>(kernel.kern.feeder_fgi.cursor().phase - at.phase(plan)), 0};
    const auto known = std::find_if(fronts_.begin(), fronts_.end(), [&front](const Front& other) {
      return front.construct == other.construct && front.receive == other.receive && front.request == other.request;
    });
    front.kind = known != fronts_.end() ? known->kind : static_cast<std::uint32_t>(look_of_.size() / shapes_.size());
    if (known == fronts_.end()) look_of_.resize(look_of_.size() + shapes_.size(), kNotAsked);
    fronts_.push_back(front);
  }
  return number;
}

void MidSet::load(Kernel& kernel, std::uint32_t state, std::int64_t window) const {
  std::string bytes = states_.bytes(state);
  Relative from(bytes, true);
  relative(from, kernel, anchor(window));
}

// Of the ranges that are looked at in a step, as one number: the one that beats come for and those that the blocks
// behind the reader turn to, up to the next one; the one that is asked for and two more. 0 if those are too many.
// `word`: where in a page the window's range starts.
std::uint64_t MidSet::shapes_of(const Front& front, Words word) const {
  if (front.receive + 1 - front.construct > 4) return 0;
  std::uint64_t shapes = 1;
  const auto add = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t range = from; range <= to; ++range) {  // from one before the window on, what is left to discard
      const Words start = (word + range * pitch_) % page_words_;
      shapes = shapes << 8 | shapes_[static_cast<std::size_t>(start < 0 ? start + page_words_ : start)];
    }
  };
  add(std::min(front.construct + 1, front.receive), front.receive + 1);
  add(front.request, front.request + 2);
  return shapes;
}

// The same, numbered; kNone where they are too many. It is asked for again and again.
std::uint32_t MidSet::look_of(const Front& front, Words word) {
  std::uint32_t& look = look_of_[front.kind * static_cast<std::size_t>(page_words_) + static_cast<std::size_t>(word)];
  if (look == kNotAsked) {
    const std::uint64_t shapes = shapes_of(front, word);
    look = shapes == 0 ? kNone : looks_.number(engine::Key<1>{shapes}, static_cast<std::uint32_t>(looks_.size()));
  }
  return look;
}

MidSet::Step MidSet::learn(const Kernel& kernel, std::uint32_t state, std::int64_t window, Cycles gap, bool beat) {
  const Plan& plan = *plan_;
  const stream::RangeLoop& loop = plan.inp;
  Kernel scratch = kernel;
  load(scratch, state, window);
  scratch.inp.port.data = {};
  if (beat) scratch.inp.port.data.push(gap);
  scratch.inp.port.busy_cycles = scratch.inp.port.wait_cycles = 0;

  Step step;
  BlockActivities activities{};
  const ArrayStarved starved = scratch.array.starved();
  const Cycles cycles = gap + (beat ? 1 : 0);
  for (Cycles cycle = 0; cycle < cycles; ++cycle) {
    stream::RangeCursor range;
    range.seek(loop, scratch.inp.reader.request_index(loop));
    scratch.step(cycle);
    account(scratch, activities);
    const stream::ReadPort& port = scratch.inp.port;
    if (!port.requested) continue;
    if (step.requests == kMostRequests) return {};
    const std::int64_t first = port.request.address / plan.alpha.beat_bytes() - range.start(loop) / loop.band;
    step.request[step.requests++] = {static_cast<std::uint8_t>(cycle),
                                     static_cast<std::int32_t>(range.index(loop) - anchor(window).inp_range(plan)),
                                     static_cast<std::int32_t>(first), port.request.beats};
  }
  const std::int64_t emitted = scratch.inp.im2col.windows_emitted(plan) - window;
  const std::int64_t asked = scratch.inp.reader.request_index(loop) - anchor(window).inp_range(plan);
  // The beat was not taken, or the reader turned to ranges that were not looked at.
  if (scratch.inp.port.data.next_visible() != kNever || asked > fronts_[state].request + 2) return {};
  step.next = number(scratch, window + emitted);
  step.cycles = static_cast<std::uint8_t>(cycles);
  step.windows = static_cast<std::uint8_t>(emitted);
  std::size_t i = 0;
  const auto count = [&](Cycles counted) { step.counts[i++] = static_cast<std::uint8_t>(counted); };
  for (const Activities& block : activities) std::for_each(block.cycles.begin(), block.cycles.end(), count);
  for (std::size_t by = 0; by < starved.size(); ++by) count(scratch.array.starved()[by] - starved[by]);
  count(scratch.inp.port.busy_cycles);
  count(scratch.inp.port.wait_cycles);
  step.holds = true;
  return step;
}

Cycles MidSet::pass(Kernel& kernel, memory::Ddr4Memory& memory, Cycles now, std::int64_t windows,
                    BlockActivities& activities, Address& last) {
  const Plan& plan = *plan_;
  const stream::RangeLoop& loop = plan.inp;
  std::int64_t window = kernel.inp.im2col.windows_emitted(plan);
  if (!usable() || window + kWindowsAhead > windows || !begins(kernel, window)) return 0;
  const Cycles from = now;
  std::uint32_t state = number(kernel, window);
  stream::RangeCursor cursor;
  cursor.seek(loop, window);
  Words first = cursor.start(loop), of_page = first % page_words_;
  std::int64_t left = plan.beta.c - window % plan.beta.c;  // windows of the set
  stream::BeatQueue& data = kernel.inp.port.data;
  const Bytes beat_bytes = plan.alpha.beat_bytes();
  std::array<std::uint16_t, std::tuple_size_v<decltype(Step::counts)>> counts{};
  while (now - from < kMostCycles) {
    memory.advance(now);
    stream::deliver(memory, port_id(Port::Inp), kernel.inp.port);
    const Cycles known = std::min(memory.known_until(now), now + kLongestGap);
    const Cycles next = std::max(now, data.next_visible());
    const bool beat = next < known;
    const Cycles gap = (beat ? next : known) - now;
    const Front& front = fronts_[state];
    const std::uint32_t look = look_of(front, of_page);
    // Of the set's ranges and KERN tokens enough are left for all that is looked at.
    if (look == kNone || front.request + 3 > left || front.feed + gap + 2 > left * plan.positions) break;
    const engine::Key<1> key{std::uint64_t{state} << 32 | std::uint64_t{look} << 8 |
                             static_cast<std::uint64_t>(gap) << 1 | (beat ? 1 : 0)};
    const std::uint32_t index = step_of_.number(key, static_cast<std::uint32_t>(steps_.size()));
    if (index == steps_.size()) steps_.push_back(learn(kernel, state, window, gap, beat));
    const Step& step = steps_[index];
    if (!step.holds || window + step.windows >= windows) break;
    for (std::size_t i = 0; i < step.requests; ++i) {
      const Request& request = step.request[i];
      last = ((first + request.range * loop.pitch_c) / loop.band + request.first) * beat_bytes;
      memory.send_read(port_id(Port::Inp), now + request.cycle, last, request.beats);
    }
    if (beat) data.pop();
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<std::uint16_t>(counts[i] + step.counts[i]);
    now += step.cycles;
    window += step.windows;
    left -= step.windows;
    first += step.windows * loop.pitch_c;
    of_page = (of_page + step.windows * pitch_) % page_words_;
    state = step.next;
  }
  if (now == from) return 0;
  load(kernel, state, window);
  const std::uint16_t* count = counts.data();
  for (Activities& block : activities) {
    for (Cycles& cycles : block.cycles) cycles += *count++;
  }
  kernel.array.count_starved(ArrayStarved{count[0], count[1]});
  kernel.inp.port.busy_cycles += count[2];
  kernel.inp.port.wait_cycles += count[3];
  if (kernel.out.port.outstanding > 0) kernel.out.port.wait_cycles += now - from;
  return now - from;
}

void MidSet::forget() {
  states_ = {};
  fronts_.clear();
  looks_ = {};
  look_of_.clear();
  step_of_ = {};
  steps_.clear();
}

std::size_t MidSet::memory() const {
  return states_.memory() + fronts_.size() * sizeof(Front) + looks_.memory() + look_of_.size() * sizeof(std::uint32_t) +
         step_of_.memory() + steps_.size() * sizeof(Step);
}

}  // namespace weft::fpgpt::exact
