#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model/engine/arrivals.h"
#include "model/engine/intern.h"
#include "model/fpgpt/exact/stretch.h"
#include "model/memory/ddr4_memory.h"

namespace weft::engine {

using RowCounts = std::array<std::array<std::int64_t, 3>, fpgpt::kPorts>;  // hits, misses, conflicts of each port

// What the ports of a channel are sent in a stretch. events[0] is no transfer, in cycle 0. Many stretches send the
// same.
struct Tape {
  std::uint32_t number = 0;  // of its own
  Cycles cycles = 0;
  std::vector<Base> bases;  // that the events mean
  std::vector<Event> events;
  std::vector<std::int32_t> addressed;  // for each event the last one before it that has an address, or -1
  // The bytes that are touched relative to a base, from the lowest on.
  struct Extent {
    std::int64_t first, last;
  };
  std::vector<Extent> extents;  // of each base

  // What the ports of a channel send together, each in order; those of a cycle in the order of the ports.
  static Tape of(Cycles cycles, const std::vector<const Transfers*>& ports, Bytes beat_bytes);
  std::size_t memory() const;  // bytes, about
};
struct TapeHash {
  std::size_t operator()(const Tape& tape) const;
};
bool operator==(const Tape& a, const Tape& b);  // the same transfers, whatever their numbers

// What comes of it.
struct Delivery {
  std::array<Arrivals*, 2> read{};  // INP, KERN
  std::vector<Cycles> answers;      // write responses become visible
  RowCounts rows{};
};

// The addresses that the bases of a tape stand for. They follow from the first and from `spread`, so that where all was
// seen before they need not be made by `fill`, which appends them.
struct Bases {
  Address first = 0;
  std::uint64_t spread = 0;
  std::function<void(const Tape&, std::vector<Address>&)> fill;
};

// One DDR4 channel by itself as a machine that remembers what it did. A step is one event and the time to the next;
// what it does is a function of the channel's relative state, the event (how its address lies in bank and row), the
// time and, if a refresh falls into it, how far away that is. Steps that were taken before are looked up. So is what a
// whole tape does without refresh, from the state in which it was met first: its usual way. A refresh, or another
// state at the start, is a detour of a few events, after which the channel is mostly on the usual way again.
class Ddr4Channel {
 public:
  struct Position {
    std::uint32_t state = 0;
    std::int64_t row = 0;  // that rows are relative to: of the last address
    memory::Nck refresh_due = 0;
  };

  // `sum_at_once`: see ExactOptions.
  Ddr4Channel(const memory::MemoryConfig& config, int channel, bool sum_at_once);

  Position enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row);
  void leave(const Position& position, memory::Ddr4Memory& memory, Cycles now);

  // Moves `position` from `origin` over the tape.
  void walk(Position& position, Cycles origin, const Tape& tape, const Bases& bases, Delivery& out);

  std::size_t memory() const;  // bytes that are remembered, about
  // They are soon made again from the steps. What was delivered must have been settled (Arrivals::settle()).
  void forget_tapes();
  std::int64_t simulated_steps() const { return simulated_; }

 private:
  static constexpr std::size_t kDetourEvents = 8, kChunkEvents = 16;

  struct Outcome {
    std::uint32_t next = 0;
    std::int32_t refreshes = 0;
    std::uint32_t first_arrival = 0, first_answer = 0;  // in the pools
    std::uint16_t arrivals = 0, answers = 0;
    std::array<std::array<std::int16_t, 3>, fpgpt::kPorts> rows{};
  };
  struct Arrival {
    std::int32_t port, first, count;  // cycles from the step's
  };
  // For one port: read beats before an event, max(cycle of beat k - k) of these beats, row events, runs of beats.
  struct Lane {
    std::int32_t beats, late;
    std::array<std::int32_t, 3> rows;
    std::uint32_t runs;
  };
  struct Point {
    std::uint32_t state;    // before an event
    std::uint32_t what;     // the event, how its address lies and the gap, as a number
    std::uint32_t answers;  // write responses before it
  };
  // What some events in a row do without refresh, from a state on: the same for all tapes in which they follow each
  // other alike. Cycles are from that of the first event.
  struct Chunk {
    std::vector<Point> points;  // one more than events
    std::vector<Lane> lanes;    // of point i and the j-th port of the channel: i * ports + j
    std::vector<std::int32_t> answers;
    std::array<std::vector<Arrival>, 2> runs;  // of INP and KERN
  };
  // The usual way of a tape.
  struct Trajectory {
    std::vector<std::uint32_t> chunks;   // of kChunkEvents events each, but for the last one
    std::vector<std::uint32_t> futures;  // of each event: what it and the next kDetourEvents - 1 are; 0: not asked yet
    // Of visits that did not find a passage: how many, how many came at a distance to the refresh (in cycles from 1 on;
    // 0: none in the tape) at which there had been one, and these distances.
    std::int64_t visits = 0, again = 0;
    std::vector<bool> met;
  };
  // What some events of a tape come to, as words that lie together: an Effect, a LaneEffect for each port of the
  // channel, their runs of beats one after the other (RunWords), the cycles of write responses. Cycles are from the
  // first event's.
  struct Effect {
    std::uint32_t state;  // after them
    std::int32_t refreshes;
    std::uint32_t events, answers;  // how many
  };
  struct LaneEffect {
    Lane lane;
    std::int32_t last;            // cycle of the last beat
    std::uint32_t takes, enough;  // see Arrivals::Block
  };
  // What comes of events if no beat has to wait for those before them.
  struct Alone {
    std::array<Arrivals, 2> read;
    Delivery delivery;
    void reset();
  };
  // How the addresses of a tape lie, as a number, and how many rows after the row before it the last one lies.
  struct Lie {
    std::uint64_t number = 0;
    std::int64_t rows = 0;
  };
  // A tape at its time and place.
  struct LaidTape {
    Cycles origin;
    const Tape& tape;
    const std::vector<Address>& bases;
    std::int64_t row;  // before the tape
    Address address(std::size_t i) const {
      const Event& event = tape.events[i];
      return bases[event.base] + event.offset;
    }
    std::int64_t row_before(std::size_t i) const {
      const std::int32_t last = tape.addressed[i];
      return last < 0 ? row : address(static_cast<std::size_t>(last)) >> memory::kRowBit;
    }
    Cycles gap(std::size_t i) const {
      return (i + 1 < tape.events.size() ? tape.events[i + 1].cycle : tape.cycles) - tape.events[i].cycle;
    }
  };
  // One step: an event and the time to the next one.
  struct Step {
    Event event;  // its cycle, base and offset are not used
    Cycles cycle, gap;
    Address address;
    std::int64_t row_before;
    memory::Nck refresh_due;
    std::int64_t row() const { return has_address() ? address >> memory::kRowBit : row_before; }
    bool has_address() const { return event.transfer == Transfer::Read || event.transfer == Transfer::Write; }
  };
  static Step step_at(const LaidTape& place, std::size_t i, memory::Nck refresh_due);

  Lie lie_of(std::int64_t row, const Tape& tape, const Bases& bases);
  Lie lie_of(const LaidTape& place);
  Trajectory& trajectory(std::uint32_t state, std::uint64_t lie, const LaidTape& place);
  bool comes_again(Trajectory& usual, const Position& position, const LaidTape& place) const;
  void walk_new(const Key<3>& key, Position& position, const LaidTape& place, Delivery& out);
  void walk_by_detours(Trajectory& usual, Position& position, const LaidTape& place, Delivery& out);
  std::uint32_t refresh_within(const Position& position, Cycles from, Cycles to) const;
  Cycles refresh_cycle(const Position& position, const LaidTape& place) const;
  std::size_t refreshed_at(std::size_t at, const Position& position, const LaidTape& place) const;
  std::uint32_t future(Trajectory& usual, std::size_t at);
  std::uint32_t detour(Trajectory& usual, std::size_t at, const Position& position, const LaidTape& place);
  std::uint32_t make_detour(const Trajectory& usual, std::size_t at, Position position, const LaidTape& place);
  std::uint32_t keep(const Alone& alone, Cycles origin, std::size_t events, const Position& before,
                     const Position& after);
  std::size_t follow(std::uint32_t effect, Cycles origin, Position& position, Delivery& out);
  std::uint32_t chunk(std::uint32_t state, std::size_t first, std::size_t events, const LaidTape& place);
  void extend(Chunk& chunk, const Outcome& outcome, std::int32_t cycle) const;
  const Point& point(const Trajectory& trajectory, std::size_t i) const {
    const std::size_t chunk = std::min(i / kChunkEvents, trajectory.chunks.size() - 1);
    return tapes_.chunks[trajectory.chunks[chunk]]->points[i - chunk * kChunkEvents];
  }
  std::uint64_t event_key(const Step& step) const;
  std::uint32_t take(std::uint32_t state, Step step);
  std::uint32_t simulate(std::uint32_t state, const Step& step);
  std::uint32_t through_rest(std::uint32_t state, const Step& step);
  bool at_rest(std::uint32_t state, Cycles cycle, std::int64_t row);
  void take_known(Outcome& outcome, Cycles origin);
  void deliver(const Outcome& outcome, Cycles cycle, Delivery& out) const;
  void deliver(const Trajectory& usual, std::size_t first, std::size_t last, const LaidTape& place,
               Delivery& out) const;
  void deliver(const Chunk& chunk, std::size_t first, std::size_t last, Cycles origin, Delivery& out) const;

  int channel_;
  bool sum_at_once_;
  std::vector<int> ports_;
  memory::AddressMap map_;
  memory::Nck refi_nck_;
  memory::Ddr4Memory scratch_;
  States states_;
  Sequences lies_;
  KeyMap<3> steps_;  // by the state and the gap, the event, how far away the refresh is
  std::vector<Outcome> outcomes_;
  std::int64_t simulated_ = 0;
  std::vector<std::int8_t> rests_;  // of each state, see at_rest()
  std::vector<Arrival> arrivals_;
  std::vector<std::int32_t> answers_;
  // What is soon made again from the steps.
  struct Tapes {
    KeyMap<3> lie_of;  // by the tape, the spread of its bases, and where the first lies from the row on
    std::vector<Lie> lies;
    KeyMap<2> trajectory_of;  // by the tape and how cycles lie against the DRAM's edges, how its addresses lie
    std::vector<std::unique_ptr<Trajectory>> trajectories;
    KeyMap<1 + kChunkEvents / 2> chunk_of;  // by the state before it and what its events are
    std::vector<std::unique_ptr<Chunk>> chunks;
    std::size_t bytes = 0;  // of trajectories and chunks, about
    std::vector<std::uint32_t> effects;
    KeyMap<2> detour_of;  // their effects: by the usual state and its own, the future and how far away the refresh is
    // Effects of whole tapes: by the tape and the state, how its addresses lie, the refresh and the edges.
    KeyMap<3> passage_of;
  };
  Tapes tapes_;
  KeyMap<2> events_;  // by the event, how its address lies and the gap
  KeyMap<kDetourEvents / 2> futures_;
  Alone detour_, passage_;            // while they are made
  std::vector<Address> bases_;        // of the tape that is walked
  std::vector<std::uint32_t> whats_;  // of the events of a chunk that is looked for
};

}  // namespace weft::engine
