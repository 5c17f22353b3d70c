#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/core/intern.h"
#include "model/engine/delivery.h"
#include "model/engine/request_trace.h"
#include "model/engine/step_memo.h"
#include "model/engine/word_pool.h"

namespace weft::engine {

// Channel states after each event of a trace if no refresh occurs, from the state in which the trace was first seen.
struct BaselinePath {
  std::size_t events = 0;
  std::uint32_t last_state = 0;        // after the last event
  std::vector<std::uint32_t> chunks;   // positions in the pool; kChunkEvents events each, the last one fewer
  std::vector<std::uint32_t> futures;  // of the last kBeyond events of each chunk; 0: not computed yet
};

// Baseline paths of all traces. Paths share chunks of kChunkEvents events.
class BaselinePaths {
 public:
  static constexpr std::size_t kFutureEvents = 4;

  // Returns the path of a trace with that mapping signature; simulates it from `state` at first use.
  BaselinePath& find(StepMemo& steps, std::uint32_t state, std::uint64_t signature, const PlacedTrace& placed);
  // Returns the channel state before event i, or after the last event.
  std::uint32_t state(const BaselinePath& path, std::size_t i) const {
    return i < path.events ? pool_.get(mark(path, i)).state : path.last_state;
  }
  // Returns the number of event i with its address mapping and its gap, see StepMemo::timed_event().
  std::uint32_t timed_event(const BaselinePath& path, std::size_t i) const {
    return pool_.get(mark(path, i)).timed_event;
  }
  // Returns the number of the sequence of kFutureEvents timed events from event i on.
  std::uint32_t future(BaselinePath& path, std::size_t i);
  // Delivers the returns of events first .. last - 1.
  void deliver(const ChannelPorts& ports, const BaselinePath& path, std::size_t first, std::size_t last,
               const PlacedTrace& placed, Delivery& out) const;

  // Prefetches the entry of event i.
  void prefetch(const BaselinePath& path, std::size_t i) const { pool_.prefetch(mark(path, i)); }

  void evict();                // keeps the numbers of futures
  std::size_t memory() const;  // approximate bytes

 private:
  static constexpr std::size_t kChunkEvents = 16;
  static constexpr std::size_t kBeyond = kFutureEvents - 1;  // last events of a chunk, whose future spans two chunks

  // Chunk: effect of consecutive events without refresh, from a given state on. Traces with equal consecutive events
  // share it. Layout in the pool: for each event and for the end a Mark and a Lane per port, then the Returns. Cycles
  // are relative to the first event.
  struct Mark {
    std::uint32_t state;        // of the channel before the event
    std::uint32_t timed_event;  // see StepMemo
    std::uint32_t future;       // see future(), for events whose future lies in the chunk; 0: not computed yet
    std::uint32_t returns;      // position in the pool of the first Return of this event or a later one
  };
  // Totals of one port before an event: beats or responses, max(cycle of beat k - k), row events.
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
  KeyMap<2> path_of_;  // key: trace, clock phase at its start, mapping signature
  std::vector<std::unique_ptr<BaselinePath>> paths_;
  KeyMap<1 + kChunkEvents / 2> chunk_of_;    // key: state before the chunk, timed events
  WordPool pool_;                            // chunks
  std::size_t lanes_ = 0;                    // per Mark
  std::size_t bytes_ = 0;                    // approximate bytes of paths_
  std::vector<std::uint32_t> timed_events_;  // buffer of chunk()
  // Buffers of a new chunk; `returns` of a Mark counts from 0 in them.
  std::vector<Mark> marks_;
  std::vector<Lane> lanes_of_marks_;
  std::vector<Return> returns_;
};

}  // namespace weft::engine
