#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "model/core/huge_pages.h"
#include "model/engine/delivery.h"
#include "model/engine/intern.h"
#include "model/engine/request_trace.h"
#include "model/memory/ddr4_memory.h"

namespace weft::engine {

inline constexpr memory::Nck kNoRefresh = std::numeric_limits<memory::Nck>::max();
// As a distance: what it is looked for in is over before the next refresh falls due.
inline constexpr std::uint32_t kNoRefreshWithin = 0x7FFFFFFF;

// One step of a channel: an event and the time to the next one.
struct Step {
  Event event;  // its cycle, base and offset are not used
  Cycles cycle, gap;
  Address address;
  std::int64_t row_before;
  memory::Nck refresh_due;
  std::int64_t row() const { return event.has_address() ? address >> memory::kRowBit : row_before; }
};

// Event i of a trace as a step.
Step step_at(const PlacedTrace& placed, std::size_t i, memory::Nck refresh_due);

// What the steps of a channel do. A step is a function of the channel's relative state, the event (how its address lies
// in bank and row), the time to the next one and, if a refresh falls into it, how far away that is. Those that were
// taken before are looked up; the others are simulated by a memory of its own, or made of one that was after which the
// channel came to rest: most events come long after what the one before them asked for is done, after this time or
// that.
// Its key: see model/fpgpt/exact/exact.h.
class StepMemo {
 public:
  using Rows = std::array<std::int16_t, 3>;  // hits, misses, conflicts
  struct Outcome {
    std::uint32_t next = 0;  // the state after it
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

  // The number of the channel's state in `memory` at the start of cycle `now`, settled, and back from it.
  std::uint32_t enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row);
  void leave(std::uint32_t state, memory::Ddr4Memory& memory, Cycles now, std::int64_t row) const;

  std::string bytes(std::uint32_t state) const { return states_.bytes(state); }
  std::uint32_t number_of(const std::string& bytes) { return states_.number(bytes); }

  // An event, how its address lies in bank and row and the time to the next one, as a number from 1 on. Who asks for
  // several makes their keys first and has them fetched.
  std::uint32_t timed_event(const Step& step) { return timed_event(timed_event_key(step)); }
  std::uint32_t timed_event(const Key<2>& key) {
    return timed_events_.number(key, static_cast<std::uint32_t>(timed_events_.size()) + 1);
  }
  Key<2> timed_event_key(const Step& step) const {
    return Key<2>{event_word(step), static_cast<std::uint64_t>(step.gap)};
  }
  void prefetch_timed_event(const Key<2>& key) const { timed_events_.prefetch(key); }
  // How many edges after the start of cycle `from` a refresh falls due, if that is before cycle `to`.
  std::uint32_t refresh_within(memory::Nck due, Cycles from, Cycles to) const {
    if (due >= clocks().first_edge(to)) return kNoRefreshWithin;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(due - clocks().first_edge(from)));
  }
  // What the step does that is `timed_event`; `step`, which makes it, is only asked if that is not known.
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
  // Until the next step is taken.
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
  std::size_t memory() const;  // bytes that are remembered, about

 private:
  // A step after which the channel comes to rest does the same whatever the time to the next event is, from so many
  // cycles on and up to the next refresh.
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

  // A state at the start of a cycle, rows being told from `row`.
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
  Simulated last_;     // where it is
  std::string bytes_;  // while a state is loaded or kept
  States states_;
  KeyMap<2> timed_events_;  // by the event and how its address lies, the gap
  KeyMap<2> steps_;         // by the state, what it is and how far away the refresh is
  // By the state, the event, how its end lies against the DRAM's edges and how far away the refresh is.
  KeyMap<2> idle_outcome_of_;
  KeyMap<1> events_;
  std::vector<IdleOutcome> idle_outcomes_;
  std::vector<Outcome, HugePages<Outcome>> outcomes_;
  KeyMap<2> outcome_of_;  // by the next state, the refreshes and a hash of what comes back; the first of a hash
  std::vector<Return> returns_;
  std::vector<Rows> rows_;  // of each lane
  std::int64_t simulated_ = 0;
};

}  // namespace weft::engine
