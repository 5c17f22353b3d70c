#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/core/topology.h"
#include "model/engine/baseline_paths.h"
#include "model/engine/delivery.h"
#include "model/engine/deviations.h"
#include "model/engine/intern.h"
#include "model/engine/mapping_signature.h"
#include "model/engine/request_trace.h"
#include "model/engine/step_memo.h"
#include "model/engine/trace_summaries.h"
#include "model/memory/ddr4_memory.h"

namespace weft::engine {

// One DDR4 channel by itself as a machine that remembers what it did: its steps (StepMemo), and what a whole trace does
// without refresh, from the state in which it was met first, its usual way (BaselinePath). A refresh, or another state
// at the start, is a deviation of a few events, after which the channel is mostly on the usual way again. What a
// deviation comes to is remembered, and so is what a whole trace does with its deviations, a summary (TraceSummaries).
class Ddr4Channel {
 public:
  // `ports`: what each port of the memory does.
  Ddr4Channel(const memory::MemoryConfig& config, int channel, const std::vector<PortDirection>& ports);

  ChannelState enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row);
  void leave(const ChannelState& channel, memory::Ddr4Memory& memory, Cycles now) const;
  // A state as another object of this channel can number it.
  std::string state(const ChannelState& channel) const { return steps_.bytes(channel.state); }
  std::uint32_t number_of(const std::string& state) { return steps_.number_of(state); }

  // Moves `channel` from `origin` over the trace. `out` has an element for each port of the memory: one whose
  // `schedule` are told may be given a block (ReturnQueue::Block), of which nothing is asked but by these.
  void replay(ChannelState& channel, Cycles origin, const RequestTrace& trace, const Bases& bases, Delivery& out);

  std::size_t memory() const;  // bytes that are remembered, about
  // What the bases of a trace stand for is another unit's from now on.
  void begin_unit() { signatures_.evict(); }
  // TraceSummaries, what is known of traces besides, and deviations, each of which is soon made again from those behind
  // it and from the steps.
  void evict_summaries();
  void evict_traces();
  void evict_deviations();
  std::int64_t simulated_steps() const { return steps_.simulated(); }

 private:
  void replay_new(const Key<3>& key, const MappingSignature& signature, ChannelState& channel,
                  const PlacedTrace& placed, Delivery& out);
  void replay_by_deviations(const MappingSignature& signature, ChannelState& channel, const PlacedTrace& placed,
                            Delivery& out);
  Cycles refresh_cycle(const ChannelState& channel, const PlacedTrace& placed) const;
  std::size_t refreshed_at(std::size_t at, const ChannelState& channel, const PlacedTrace& placed) const;
  void expect_refreshes(BaselinePath& baseline, const ChannelState& channel, const PlacedTrace& placed);
  Key<2> key_of(BaselinePath& baseline, std::size_t at, const ChannelState& channel, const PlacedTrace& placed);
  Deviations::At find_deviation(BaselinePath& baseline, std::size_t at, const ChannelState& channel,
                                const PlacedTrace& placed);
  Deviations::At simulate_deviation(const BaselinePath& baseline, std::size_t at, ChannelState channel,
                                    const PlacedTrace& placed);

  // A refresh that falls into a step of the usual way, and what comes of it if that is known.
  struct Expected {
    std::size_t at;
    memory::Nck due;
    Key<2> key;
    std::uint32_t deviation;
  };

  int channel_;
  StepMemo steps_;
  MappingSignatures signatures_;
  BaselinePaths paths_;
  Deviations deviations_;
  TraceSummaries summaries_;
  KeyMap<2> deviation_of_;  // by the usual state and its own, the future and how far away the refresh is
  KeyMap<3> summary_of_;    // by the trace and the state, how its addresses lie, the refresh and the edges
  UncontendedReturns deviation_returns_, summary_returns_;  // while they are made
  std::vector<Expected> expected_;                          // in the trace that is walked
  std::vector<Address> addresses_;                          // of the bases of the trace that is walked
};

}  // namespace weft::engine
