#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/core/intern.h"
#include "model/core/topology.h"
#include "model/engine/baseline_paths.h"
#include "model/engine/delivery.h"
#include "model/engine/deviations.h"
#include "model/engine/mapping_signature.h"
#include "model/engine/request_trace.h"
#include "model/engine/step_memo.h"
#include "model/engine/trace_summaries.h"
#include "model/memory/ddr4_memory.h"

namespace weft::engine {

// Memoised simulation of one DDR4 channel. StepMemo: outcomes of single events. BaselinePaths: effect of a trace
// without refresh, from the state in which it was first seen. Deviations: effect of the few events after a refresh or
// from another state, until the channel is back on the path. TraceSummaries: effect of a trace with its deviations.
class Ddr4Channel {
 public:
  // `ports`: direction of each port of the memory.
  Ddr4Channel(const memory::MemoryConfig& config, int channel, const std::vector<PortDirection>& ports);

  ChannelState enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row);
  void leave(const ChannelState& channel, memory::Ddr4Memory& memory, Cycles now) const;
  // Returns a state as bytes, which another object for this channel can number.
  std::string state(const ChannelState& channel) const { return steps_.bytes(channel.state); }
  std::uint32_t number_of(const std::string& state) { return steps_.number_of(state); }

  // Replays a trace from `origin` on: moves `channel` and delivers the returns. `out`: one element per port of the
  // memory. A port with a schedule may get a ReturnQueue::Block, which answers queries about this schedule only.
  void replay(ChannelState& channel, Cycles origin, const RequestTrace& trace, const Bases& bases, Delivery& out);

  std::size_t memory() const;  // approximate bytes
  // Begins a unit: bases of traces now refer to its addresses.
  void begin_unit() { signatures_.evict(); }
  // Evict summaries, everything about traces, or deviations. All are rebuilt from the entries of the lower levels.
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
  void expect_refreshes(BaselinePath& path, const ChannelState& channel, const PlacedTrace& placed);
  Key<2> key_of(BaselinePath& path, std::size_t at, const ChannelState& channel, const PlacedTrace& placed);
  Deviations::At find_deviation(BaselinePath& path, std::size_t at, const ChannelState& channel,
                                const PlacedTrace& placed);
  Deviations::At simulate_deviation(const BaselinePath& path, std::size_t at, ChannelState channel,
                                    const PlacedTrace& placed);

  // Refresh during a step of the baseline path, and its deviation if known.
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
  KeyMap<2> deviation_of_;  // key: baseline state, actual state, future of the event, distance to the refresh
  KeyMap<3> summary_of_;    // key: trace, state, mapping signature, distance to the refresh, clock phase
  UncontendedReturns deviation_returns_, summary_returns_;  // buffers
  std::vector<Expected> expected_;                          // in the current trace
  std::vector<Address> addresses_;                          // bases of the current trace
};

}  // namespace weft::engine
