#include "model/engine/baseline_paths.h"

#include <algorithm>
#include <utility>

namespace weft::engine {

BaselinePath& BaselinePaths::find(StepMemo& steps, std::uint32_t state, std::uint64_t signature,
                                  const PlacedTrace& placed) {
  const auto phase = static_cast<std::uint32_t>(steps.clocks().phase(placed.origin));
  const Key<2> key{two(placed.trace.number, phase), signature};
  const std::uint32_t known = path_of_.find(key);
  if (known != KeyMap<2>::kNone) return *paths_[known];

  auto made = std::make_unique<BaselinePath>();
  lanes_ = steps.ports().size();
  made->events = placed.trace.events.size();
  const std::size_t chunks = (made->events + kChunkEvents - 1) / kChunkEvents;
  made->chunks.reserve(chunks);
  made->futures.resize(chunks * kBeyond);
  for (std::size_t first = 0; first < made->events; first += kChunkEvents) {
    const std::size_t own = std::min(kChunkEvents, made->events - first);
    made->chunks.push_back(chunk(steps, state, first, own, placed));
    state = pool_.get(mark_of(made->chunks.back(), own, lanes_)).state;
  }
  made->last_state = state;
  bytes_ += sizeof(BaselinePath) + 192 + (made->chunks.capacity() + made->futures.capacity()) * sizeof(std::uint32_t);
  path_of_.number(key, static_cast<std::uint32_t>(paths_.size()));
  paths_.push_back(std::move(made));
  return *paths_.back();
}

std::uint32_t BaselinePaths::chunk(StepMemo& steps, std::uint32_t state, std::size_t first, std::size_t events,
                                   const PlacedTrace& placed) {
  Key<1 + kChunkEvents / 2> key{two(state, static_cast<std::uint32_t>(events))};
  timed_events_.clear();
  std::array<Key<2>, kChunkEvents> keys;
  for (std::size_t i = 0; i < events; ++i) {
    keys[i] = steps.timed_event_key(step_at(placed, first + i, kNoRefresh));
    steps.prefetch_timed_event(keys[i]);
  }
  for (std::size_t i = 0; i < events; ++i) {
    timed_events_.push_back(steps.timed_event(keys[i]));
    key.set(1 + i / 2, key[1 + i / 2] | std::uint64_t{timed_events_.back()} << (i % 2 * 32));
  }
  const std::uint32_t known = chunk_of_.find(key);
  if (known != chunk_of_.kNone) return known;

  const std::int32_t origin = placed.trace.events[first].cycle;
  marks_.clear();
  returns_.clear();
  lanes_of_marks_.assign(lanes_, Lane{0, kNotLate, {}});
  for (std::size_t i = 0; i < events; ++i) {
    marks_.push_back({state, timed_events_[i], 0, static_cast<std::uint32_t>(returns_.size())});
    const StepMemo::Outcome outcome =
        steps.take(state, timed_events_[i], kNoRefreshWithin, [&] { return step_at(placed, first + i, kNoRefresh); });
    extend(steps, outcome, placed.trace.events[first + i].cycle - origin);
    state = outcome.next;
  }
  marks_.push_back({state, 0, 0, static_cast<std::uint32_t>(returns_.size())});

  const std::uint32_t made = pool_.size();
  const std::uint32_t returns = mark_of(made, events + 1, lanes_).word;
  for (std::size_t i = 0; i <= events; ++i) {
    marks_[i].returns = (WordPool::At<Return>{returns} + marks_[i].returns).word;
    pool_.put(marks_[i]);
    for (std::size_t j = 0; j < lanes_; ++j) pool_.put(lanes_of_marks_[i * lanes_ + j]);
  }
  for (const Return& run : returns_) pool_.put(run);
  chunk_of_.number(key, made);
  return made;
}

// Adds the outcome of the event of the last mark, at `cycle` of the chunk.
void BaselinePaths::extend(const StepMemo& steps, const StepMemo::Outcome& outcome, std::int32_t cycle) {
  for (std::size_t j = 0; j < lanes_; ++j) {
    Lane lane = lanes_of_marks_[lanes_of_marks_.size() - lanes_];
    for (const Return& run : steps.returns(outcome)) {
      if (static_cast<std::size_t>(run.lane) != j) continue;
      lane.late = std::max(lane.late, cycle + run.first - lane.beats);
      lane.beats += run.count;
      returns_.push_back({run.lane, cycle + run.first, run.count});
    }
    for (std::size_t kind = 0; kind < 3; ++kind) lane.rows[kind] += steps.rows(outcome, j)[kind];
    lanes_of_marks_.push_back(lane);
  }
}

std::uint32_t BaselinePaths::future(BaselinePath& path, std::size_t i) {
  const std::size_t in_chunk = i % kChunkEvents;
  const WordPool::At<Mark> at = mark(path, i);
  Mark here = pool_.get(at);
  std::uint32_t& number = in_chunk + kFutureEvents <= kChunkEvents
                              ? here.future
                              : path.futures[i / kChunkEvents * kBeyond + in_chunk - (kChunkEvents - kBeyond)];
  if (number != 0) return number;

  Key<kFutureEvents / 2> future{};
  const std::size_t last = std::min(i + kFutureEvents, path.events);
  for (std::size_t k = 0; i + k < last; ++k) {
    future.set(k / 2, future[k / 2] | std::uint64_t{timed_event(path, i + k)} << (k % 2 * 32));
  }
  number = futures_.number(future, static_cast<std::uint32_t>(futures_.size()) + 1);
  pool_.set(at, here);
  return number;
}

void BaselinePaths::deliver(const ChannelPorts& ports, const BaselinePath& path, std::size_t first, std::size_t last,
                            const PlacedTrace& placed, Delivery& out) const {
  while (first < last) {
    const std::size_t chunk = first / kChunkEvents, begin = chunk * kChunkEvents;
    const std::size_t end = std::min(begin + kChunkEvents, last);
    deliver(ports, path.chunks[chunk], first - begin, end - begin, placed.origin + placed.trace.events[begin].cycle,
            out);
    first = end;
  }
}

// Beats that arrive faster than the port can take them are visible back to back: only their number matters.
void BaselinePaths::deliver(const ChannelPorts& ports, std::uint32_t chunk, std::size_t first, std::size_t last,
                            Cycles origin, Delivery& out) const {
  const WordPool::At<Mark> begin = mark_of(chunk, first, lanes_), end = mark_of(chunk, last, lanes_);
  for (std::size_t j = 0; j < ports.size(); ++j) {
    PortDelivery& to = out[ports[j].port];
    const Lane from = pool_.get(begin.after<Lane>(1) + j), until = pool_.get(end.after<Lane>(1) + j);
    for (std::size_t kind = 0; kind < 3; ++kind) to.rows[kind] += until.rows[kind] - from.rows[kind];
    const std::int32_t beats = until.beats - from.beats;
    if (beats == 0) continue;
    if (ports[j].direction == PortDirection::Read && to.read->last() + 1 - from.beats >= origin + until.late) {
      to.read->push(to.read->last() + 1, beats);
      continue;
    }
    const WordPool::At<Return> stop{pool_.get(end).returns};
    for (WordPool::At<Return> k{pool_.get(begin).returns}; k.word < stop.word; k = k + 1) {
      const Return run = pool_.get(k);
      if (static_cast<std::size_t>(run.lane) == j) engine::deliver(run, ports[j].direction, origin, to);
    }
  }
}

void BaselinePaths::evict() {
  path_of_ = {};
  paths_.clear();
  chunk_of_ = {};
  pool_ = {};
  bytes_ = 0;
}

std::size_t BaselinePaths::memory() const {
  return memory_of(futures_) + memory_of(path_of_) + memory_of(chunk_of_) + pool_.memory() + bytes_;
}

}  // namespace weft::engine
