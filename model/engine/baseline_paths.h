#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/engine/delivery.h"
#include "model/engine/intern.h"
#include "model/engine/request_trace.h"
#include "model/engine/step_memo.h"
#include "model/engine/word_pool.h"

namespace weft::engine {

// What a channel does over a trace without refresh, from the state in which the trace was met first: its usual way.
struct BaselinePath {
  std::size_t events = 0;
  std::uint32_t last_state = 0;        // after all of them
  std::vector<std::uint32_t> chunks;   // where they lie, of kChunkEvents events each, but for the last one
  std::vector<std::uint32_t> futures;  // that go beyond a chunk, kBeyond of each; 0: not asked yet
};

// The usual ways of all traces, in parts that they share.
class BaselinePaths {
 public:
  static constexpr std::size_t kFutureEvents = 4;

  // From `state` on, the addresses of the trace lying as `signature` says.
  BaselinePath& find(StepMemo& steps, std::uint32_t state, std::uint64_t signature, const PlacedTrace& placed);
  // Before event i, or after the last one.
  std::uint32_t state(const BaselinePath& path, std::size_t i) const {
    return i < path.events ? pool_.get(mark(path, i)).state : path.last_state;
  }
  // Event i, how its address lies and the gap, see StepMemo::what().
  std::uint32_t timed_event(const BaselinePath& path, std::size_t i) const {
    return pool_.get(mark(path, i)).timed_event;
  }
  // What event i and those behind it are, kFutureEvents in all, how their addresses lie and how far they are apart.
  std::uint32_t future(BaselinePath& path, std::size_t i);
  // What comes of events first .. last - 1.
  void deliver(const ChannelPorts& ports, const BaselinePath& baseline, std::size_t first, std::size_t last,
               const PlacedTrace& placed, Delivery& out) const;

  // Event i will be asked for.
  void prefetch(const BaselinePath& path, std::size_t i) const { pool_.prefetch(mark(path, i)); }

  void evict();                // the ways; not what events were numbered
  std::size_t memory() const;  // bytes that are remembered, about

 private:
  static constexpr std::size_t kChunkEvents = 16;
  static constexpr std::size_t kBeyond = kFutureEvents - 1;  // events of a chunk whose future goes beyond it

  // What some events in a row do without refresh, from a state on, is a chunk: the same for all traces in which they
  // follow each other alike. In the pool it is for each event and the end a Mark and a Lane for each port, and behind
  // them what returns. Cycles are from that of the first event.
  struct Mark {
    std::uint32_t state;        // before an event
    std::uint32_t timed_event;  // the event, how its address lies and the gap, as a number
    std::uint32_t future;       // of what lies in the chunk alone, see future(); 0: not asked yet
    std::uint32_t returns;      // where the first run of read beats or write responses lies that is not before it
  };
  // For one port, of what comes before an event: beats or responses, max(cycle of beat k - k) of them, row events.
  struct Lane {
    std::int32_t beats, late;
    std::array<std::int32_t, 3> rows;
  };

  static WordPool::At<Mark> mark_of(std::uint32_t chunk, std::size_t i, std::size_t lanes) {
    const std::size_t words = WordPool::At<Mark>::kWords + lanes * WordPool::At<Lane>::kWords;
    return {chunk + static_cast<std::uint32_t>(i * words)};
  }
  WordPool::At<Mark> mark(const BaselinePath& path, std::size_t i) const {
    return mark_of(path.chunks[i / kChunkEvents], i % kChunkEvents, lanes_);
  }
  std::uint32_t chunk(StepMemo& steps, std::uint32_t state, std::size_t first, std::size_t events,
                      const PlacedTrace& placed);
  void extend(const StepMemo& steps, const StepMemo::Outcome& outcome, std::int32_t cycle);
  void deliver(const ChannelPorts& ports, std::uint32_t chunk, std::size_t first, std::size_t last, Cycles origin,
               Delivery& out) const;

  KeyMap<kFutureEvents / 2> futures_;
  KeyMap<2> path_of_;  // by the trace and how cycles lie against the DRAM's edges, how its addresses lie
  std::vector<std::unique_ptr<BaselinePath>> paths_;
  KeyMap<1 + kChunkEvents / 2> chunk_of_;    // by the state before it and what its events are
  WordPool pool_;                            // of chunks
  std::size_t lanes_ = 0;                    // of each Mark
  std::size_t bytes_ = 0;                    // of trajectories, about
  std::vector<std::uint32_t> timed_events_;  // of the events of a chunk that is looked for
  // Of a chunk that is made: its marks, of which returns counts from 0, lanes and returns.
  std::vector<Mark> marks_;
  std::vector<Lane> lanes_of_marks_;
  std::vector<Return> returns_;
};

}  // namespace weft::engine
