#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "model/core/huge_pages.h"
#include "model/core/intern.h"
#include "model/engine/delivery.h"
#include "model/engine/request_trace.h"
#include "model/memory/ddr4_memory.h"

namespace weft::engine {

inline constexpr memory::Nck kNoRefresh = std::numeric_limits<memory::Nck>::max();
// Distance to the next refresh if that is due after the end of the step or of the trace.
inline constexpr std::uint32_t kNoRefreshWithin = 0x7FFFFFFF;

// Step of a channel: an event and the time to the next one.
struct Step {
  Event event;  // cycle, base and offset are not used
  Cycles cycle, gap;
  Address address;
  std::int64_t row_before;
  memory::Nck refresh_due;
  std::int64_t row() const { return event.has_address() ? address >> memory::kRowBit : row_before; }
};

// Returns event i of a trace as a step.
Step step_at(const PlacedTrace& placed, std::size_t i, memory::Nck refresh_due);

// Memoised outcomes of the steps of a channel. A step depends on the relative state of the channel, the event with the
// bank and row of its address, the time to the next event, and the distance to a refresh within the step. A new step is
// simulated. If the channel becomes idle before the end, all longer steps have the same outcome, so that most steps are
// simulated once for all gaps. Keys: see model/fpgpt/exact/exact.h.
class StepMemo {
 public:
  using Rows = std::array<std::int16_t, 3>;  // hits, misses, conflicts
  struct Outcome {
    std::uint32_t next = 0;  // state
    std::int32_t refreshes = 0;
    std::uint32_t first_return = 0, returns = 0;
    std::uint32_t first_rows = 0;
  };
  struct Returns {
    const Return *first, *last;
    const Return* begin() const { return first; }
    const Return* end() const { return last; }
  };

  StepMemo(const memory::MemoryConfig& config, int channel, ChannelPorts ports);

  // Convert the settled state of the channel in `memory` at the start of cycle `now` to its number, and back.
  std::uint32_t enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row);
  void leave(std::uint32_t state, memory::Ddr4Memory& memory, Cycles now, std::int64_t row) const;

  std::string bytes(std::uint32_t state) const { return states_.bytes(state); }
  std::uint32_t number_of(const std::string& bytes) { return states_.number(bytes); }

  // Returns the number, from 1 on, of an event with its address mapping and the time to the next event.
  std::uint32_t timed_event(const Step& step) { return timed_event(timed_event_key(step)); }
  std::uint32_t timed_event(const Key<2>& key) {
    return timed_events_.number(key, static_cast<std::uint32_t>(timed_events_.size()) + 1);
  }
  Key<2> timed_event_key(const Step& step) const {
    return Key<2>{event_word(step), static_cast<std::uint64_t>(step.gap)};
  }
  void prefetch_timed_event(const Key<2>& key) const { timed_events_.prefetch(key); }
  // Returns the DRAM clock edges from cycle `from` to the refresh; kNoRefreshWithin if it is due after cycle `to`.
  std::uint32_t refresh_within(memory::Nck due, Cycles from, Cycles to) const {
    if (due >= clocks().first_edge(to)) return kNoRefreshWithin;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(due - clocks().first_edge(from)));
  }
  // Returns the outcome of a timed event; calls `step` only if it is not known.
  template <typename MakeStep>
  Outcome take(std::uint32_t state, std::uint32_t timed_event, std::uint32_t refresh, MakeStep step) {
    const Key<2> key{two(state, timed_event), refresh};
    const std::uint32_t known = steps_.find(key);
    return outcomes_[known != KeyMap<2>::kNone ? known : make(key, state, step())];
  }
  Outcome take(std::uint32_t state, const Step& step) {
    return take(state, timed_event(step), refresh_within(step.refresh_due, step.cycle, step.cycle + step.gap),
                [&step] { return step; });
  }
  // Valid until the next take().
  Returns returns(const Outcome& outcome) const {
    const Return* const first = returns_.data() + outcome.first_return;
    return {first, first + outcome.returns};
  }
  const Rows& rows(const Outcome& outcome, std::size_t lane) const { return rows_[outcome.first_rows + lane]; }
  void deliver(const Outcome& outcome, Cycles cycle, Delivery& out) const;

  const ChannelPorts& ports() const { return ports_; }
  const memory::ClockRatio& clocks() const { return scratch_.clocks(); }
  memory::Nck refi_nck() const { return refi_nck_; }
  std::int64_t simulated() const { return simulated_; }
  std::size_t memory() const;  // approximate bytes

 private:
  // Outcome of all steps that last at least `cycles` and end before the next refresh: the channel is idle by then.
  struct IdleOutcome {
    Cycles cycles;
    std::uint32_t outcome;
  };
  static constexpr std::uint32_t kUnknown = KeyMap<2>::kNone;

  std::uint64_t event_word(const Step& step) const;
  std::uint32_t make(const Key<2>& key, std::uint32_t state, Step step);
  std::uint32_t keep(const Outcome& outcome);
  bool same(const Outcome& a, const Outcome& b) const;
  std::uint32_t simulate(std::uint32_t state, const Step& step);
  std::uint32_t simulate_idle_refresh(std::uint32_t state, const Step& step);
  Key<2> idle_key(std::uint32_t state, const Step& step);
  std::uint32_t find_idle(const Key<2>& key, const Step& step) const;
  Outcome returned(Cycles origin);

  // State at the start of a cycle, with rows relative to `row`.
  struct Simulated {
    std::uint32_t state = 0;
    Cycles cycle = -1;
    std::int64_t row = 0;
    friend bool operator==(const Simulated& a, const Simulated& b) {
      return a.state == b.state && a.cycle == b.cycle && a.row == b.row;
    }
  };

  int channel_;
  ChannelPorts ports_;
  memory::AddressMap map_;
  memory::Nck refi_nck_;
  memory::Ddr4Memory scratch_;
  Simulated last_;     // of scratch_
  std::string bytes_;  // buffer
  States states_;
  KeyMap<2> timed_events_;  // key: event with its address mapping, gap
  KeyMap<2> steps_;         // key: state, timed event, distance to the refresh
  // Key: state, event, clock phase at the step's end, distance to the refresh.
  KeyMap<2> idle_outcome_of_;
  KeyMap<1> events_;
  std::vector<IdleOutcome> idle_outcomes_;
  std::vector<Outcome, HugePages<Outcome>> outcomes_;
  KeyMap<2> outcome_of_;  // key: next state, refreshes, hash of the returns; first outcome with this key
  std::vector<Return> returns_;
  std::vector<Rows> rows_;  // per lane
  std::int64_t simulated_ = 0;
};

}  // namespace weft::engine
