#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/engine/arrivals.h"
#include "model/engine/intern.h"
#include "model/engine/stretch.h"
#include "model/memory/ddr4_memory.h"

namespace weft::engine {

using RowCounts = std::array<std::array<std::int64_t, 3>, fpgpt::kPorts>;  // hits, misses, conflicts of each port

// What the ports of a channel are sent in a stretch. events[0] is no transfer, in cycle 0.
struct Tape {
  std::uint32_t number = 0;  // of its own
  Cycles cycles = 0;
  std::vector<Event> events;
  std::vector<std::int32_t> addressed;  // for each event the last one before it that has an address, or -1
  // The bases of the stretch that occur, and the bytes that are touched, from the lowest on, relative to each.
  struct Extent {
    std::uint16_t base;
    std::int64_t first, last;
  };
  std::vector<Extent> extents;
};

// What comes of it.
struct Delivery {
  std::array<Arrivals*, 2> read{};  // INP, KERN
  std::vector<Cycles> answers;      // write responses become visible
  RowCounts rows{};
};

// One DDR4 channel by itself as a machine that remembers what it did. A step is one event and the time to the next;
// what it does is a function of the channel's relative state, the event (how its address lies in bank and row), the
// time and, if a refresh falls into it, how far away that is. Steps that were taken before are looked up. So are whole
// tapes without refresh; a refresh disturbs the channel for a few steps, after which it is mostly in the same state as
// without.
class Ddr4Channel {
 public:
  struct Position {
    std::uint32_t state = 0;
    std::int64_t row = 0;  // that rows are relative to: of the last address
    memory::Nck refresh_due = 0;
  };

  // `reads`: which of INP and KERN are on this channel.
  Ddr4Channel(const memory::MemoryConfig& config, int channel);

  Position enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row);
  void leave(const Position& position, memory::Ddr4Memory& memory, Cycles now);

  // Moves `position` from `origin` over the tape. `bases`: the addresses that stand for the stretch's bases.
  void walk(Position& position, Cycles origin, const Tape& tape, const std::vector<Address>& bases, Delivery& out);

  std::size_t memory() const;  // bytes that are remembered, about
  void forget_tapes();         // they are soon made again from the steps
  std::int64_t simulated_steps() const { return static_cast<std::int64_t>(outcomes_.size()); }

 private:
  struct StepKey {
    std::uint64_t state_gap, event, refresh;
    friend bool operator==(const StepKey& a, const StepKey& b) {
      return a.state_gap == b.state_gap && a.event == b.event && a.refresh == b.refresh;
    }
  };
  struct StepHash {
    std::size_t operator()(const StepKey& key) const { return mix(mix(mix(0, key.state_gap), key.event), key.refresh); }
  };
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
  // What a tape does without refresh, up to each of its events ...
  struct Point {
    std::uint32_t state, outcome;  // at the event; of the step from here on
  };
  // ... for one port: read beats and write responses before it, max(cycle of beat k - k) of these beats, row events.
  struct Lane {
    std::int32_t beats, answers, late;
    std::array<std::int32_t, 3> rows;
  };
  struct Trajectory {
    std::vector<Point> points;  // one more than events
    std::vector<Lane> lanes;    // of point i and the j-th port of the channel: i * ports + j
    std::vector<std::int32_t> answers;
  };
  // What a tape does when a refresh falls due at a certain moment of it.
  struct Disturbed {
    std::uint32_t state = 0;
    std::int32_t refreshes = 0;
    std::vector<Lane> lanes;  // of each port of the channel
    std::vector<std::int32_t> answers;
  };
  struct TapeKey {
    std::uint64_t tape_state, lie;
    friend bool operator==(const TapeKey& a, const TapeKey& b) {
      return a.tape_state == b.tape_state && a.lie == b.lie;
    }
  };
  struct TapeHash {
    std::size_t operator()(const TapeKey& key) const { return mix(mix(0, key.tape_state), key.lie); }
  };

  // A tape at its place.
  struct Place {
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

  std::uint32_t trajectory(std::uint32_t state, const Place& place);
  const Disturbed& disturbed(std::uint32_t trajectory, const Position& position, const Place& place);
  void step_through(const Trajectory& usual, Position& position, const Place& place, Delivery& out);
  bool in_time(const std::vector<Lane>& lanes, Cycles origin, const Delivery& out) const;
  void extend(Trajectory& trajectory, std::int32_t cycle) const;
  std::uint32_t step(std::uint32_t state, const Place& place, std::size_t i, memory::Nck refresh_due);
  std::uint32_t simulate(std::uint32_t state, const Place& place, std::size_t i, memory::Nck refresh_due);
  void take_known(Outcome& outcome, Cycles origin);
  void deliver(const Outcome& outcome, Cycles cycle, Delivery& out) const;
  void deliver(const Trajectory& trajectory, std::size_t first, std::size_t last, Cycles origin, Delivery& out,
               const Tape& tape) const;

  int channel_;
  std::vector<int> ports_;
  memory::AddressMap map_;
  memory::Nck refi_nck_;
  memory::Ddr4Memory scratch_;
  States states_;
  Sequences lies_;
  tsl::robin_map<StepKey, std::uint32_t, StepHash> steps_;
  std::vector<Outcome> outcomes_;
  std::vector<Arrival> arrivals_;
  std::vector<std::int32_t> answers_;
  tsl::robin_map<TapeKey, std::uint32_t, TapeHash> trajectory_of_;
  std::vector<std::unique_ptr<Trajectory>> trajectories_;
  std::size_t points_ = 0;
  tsl::robin_map<TapeKey, std::uint32_t, TapeHash> disturbed_of_;  // by trajectory and distance of the refresh
  std::vector<Disturbed> disturbed_;
  std::array<Arrivals, 2> scratch_arrivals_;
  Delivery scratch_delivery_;
};

}  // namespace weft::engine
