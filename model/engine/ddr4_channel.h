#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/core/topology.h"
#include "model/engine/delivery.h"
#include "model/engine/detours.h"
#include "model/engine/intern.h"
#include "model/engine/lie.h"
#include "model/engine/passages.h"
#include "model/engine/step_memo.h"
#include "model/engine/tape.h"
#include "model/engine/trajectory.h"
#include "model/memory/ddr4_memory.h"

namespace weft::engine {

// One DDR4 channel by itself as a machine that remembers what it did: its steps (StepMemo), and what a whole tape does
// without refresh, from the state in which it was met first, its usual way (Trajectory). A refresh, or another state at
// the start, is a detour of a few events, after which the channel is mostly on the usual way again. What a detour comes
// to is remembered, and so is what a whole tape does with its detours, a passage (Passages).
class Ddr4Channel {
 public:
  using Position = ChannelPosition;

  // `ports`: what each port of the memory does.
  Ddr4Channel(const memory::MemoryConfig& config, int channel, const std::vector<PortDirection>& ports);

  Position enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row);
  void leave(const Position& position, memory::Ddr4Memory& memory, Cycles now) const;
  // A state as another object of this channel can number it.
  std::string state(const Position& position) const { return steps_.bytes(position.state); }
  std::uint32_t number_of(const std::string& state) { return steps_.number_of(state); }

  // Moves `position` from `origin` over the tape. `out` has an element for each port of the memory: one whose `takes`
  // are told may be given a block (Arrivals::Block), of which nothing is asked but by these.
  void walk(Position& position, Cycles origin, const Tape& tape, const Bases& bases, Delivery& out);

  std::size_t memory() const;  // bytes that are remembered, about
  // What the bases of a tape stand for is another unit's from now on.
  void begin_unit() { lies_.forget(); }
  // Passages, what is known of tapes besides, and detours, each of which is soon made again from those behind it and
  // from the steps.
  void forget_passages();
  void forget_tapes();
  void forget_detours();
  std::int64_t simulated_steps() const { return steps_.simulated(); }

 private:
  void walk_new(const Key<3>& key, const Lie& lie, Position& position, const LaidTape& place, Delivery& out);
  void walk_by_detours(const Lie& lie, Position& position, const LaidTape& place, Delivery& out);
  Cycles refresh_cycle(const Position& position, const LaidTape& place) const;
  std::size_t refreshed_at(std::size_t at, const Position& position, const LaidTape& place) const;
  void expect_refreshes(Trajectory& usual, const Position& position, const LaidTape& place);
  Key<2> key_of(Trajectory& usual, std::size_t at, const Position& position, const LaidTape& place);
  Detours::At detour(Trajectory& usual, std::size_t at, const Position& position, const LaidTape& place);
  Detours::At make_detour(const Trajectory& usual, std::size_t at, Position position, const LaidTape& place);

  // A refresh that falls into a step of the usual way, and what comes of it if that is known.
  struct Expected {
    std::size_t at;
    memory::Nck due;
    Key<2> key;
    std::uint32_t detour;
  };

  int channel_;
  StepMemo steps_;
  Lies lies_;
  Trajectories trajectories_;
  Detours detours_;
  Passages passages_;
  KeyMap<2> detour_of_;             // by the usual state and its own, the future and how far away the refresh is
  KeyMap<3> passage_of_;            // by the tape and the state, how its addresses lie, the refresh and the edges
  DeliveryAlone detour_, passage_;  // while they are made
  std::vector<Expected> expected_;  // in the tape that is walked
  std::vector<Address> addresses_;  // of the bases of the tape that is walked
};

}  // namespace weft::engine
