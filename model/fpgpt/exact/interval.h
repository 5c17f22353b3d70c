#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/engine/consumption_schedule.h"
#include "model/engine/request_trace.h"
#include "model/fpgpt/exact/lookahead.h"
#include "model/fpgpt/kernel.h"

namespace weft::fpgpt::exact {

// What addresses of a interval are relative to (engine::Base): the tensor of a port as the pass of the round `rounds`
// after the interval's own meets it (KERN: the pass after `rounds` passes), or, for OUT, what the round itself writes.
inline engine::Base base_of(Port port, std::int64_t rounds) {
  return {static_cast<std::uint8_t>(port), rounds};
}

// The first word of OUT that is written in `round`.
Words out_word(const Plan& plan, std::int64_t round);

// The address that a base stands for in a interval that begins in `round`.
Address base_address(const Plan& plan, std::int64_t round, const engine::Base& base);

// Adds what a port sends in `cycle` of a interval; `address`: that of the base.
void add(engine::Transfers& transfers, engine::Transfer transfer, const engine::Base& base, Address address,
         const stream::BurstRequest& request, Cycles cycle);

// Some thousand cycles of a kernel for which its memory is fast enough: a read beat is there whenever it is looked for,
// a write is answered after a fixed time. Such a interval is a function of the state of the kernel and of how the
// tensors lie in beats, OUT in pages; whether it holds for the real memory is checked when it is used.
struct Interval {
  Cycles cycles = 0;
  std::uint32_t next = 0;        // the state of the kernel after it
  BlockActivities activities{};  // of the readers as if they asked for nothing
  ArrayStarved array_starved{};
  std::array<std::vector<engine::Run>, 2> consumed;  // INP, KERN: the cycles in which a beat is taken
  engine::Transfers out;                             // of port OUT
  std::int64_t written = 0, writes = 0;              // beats, bursts
  Cycles write_busy = 0, write_wait = 0;
  std::vector<engine::Run> answers;  // cycles in which write responses become visible; they may lie behind the end
  std::int64_t outstanding = 0;      // write bursts at the start, not answered ...
  std::vector<Cycles> pending;       // ... and the cycles in which responses to them become visible, as far as known
  Footprint footprint;               // it holds only where all of that is there
  bool out_moved = false;
};

// What the reader of a port does while the kernel takes beats in the cycles of a interval: a function of its state, of
// these cycles, and of how its tensor lies in pages.
struct ReadAhead {
  std::uint32_t next = 0;  // the state of the reader after it
  engine::Transfers transfers;
  std::int64_t bursts = 0;
  Cycles wait = 0;  // cycles with a burst outstanding in which no beat was taken
  Cycles request_only =
      0;  // cycles in which it asked and took nothing: for the interval it was blocked, but it is active
  std::int64_t ranges_seen = 0;  // from the first of the anchor on
};

}  // namespace weft::fpgpt::exact
