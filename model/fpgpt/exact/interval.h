#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/engine/consumption_schedule.h"
#include "model/engine/request_trace.h"
#include "model/fpgpt/exact/lookahead.h"
#include "model/fpgpt/kernel.h"

namespace weft::fpgpt::exact {

// Returns a base of an interval's addresses. INP: tensor of the pass that is current `rounds` rounds after the
// interval's round; KERN: `rounds` passes after its pass; OUT: first word written in its round.
inline engine::Base base_of(Port port, std::int64_t rounds) {
  return {static_cast<std::uint8_t>(port), rounds};
}

// Returns the first word of OUT written in `round`.
Words out_word(const Plan& plan, std::int64_t round);

// Returns the widths of the ports' beats, by their numbers in a trace.
inline engine::BeatBytes beat_bytes_of(const Alpha& alpha) {
  return {alpha.beat_bytes(Port::Inp), alpha.beat_bytes(Port::Kern), alpha.beat_bytes(Port::Out)};
}

// Returns the address of a base for an interval that begins in `round`.
Address base_address(const Plan& plan, std::int64_t round, const engine::Base& base);

// Adds a transfer in `cycle` of an interval. `address`: of the base.
void add(engine::Transfers& transfers, engine::Transfer transfer, const engine::Base& base, Address address,
         const stream::BurstRequest& request, Cycles cycle);

// Some thousand cycles of a kernel with a memory that is fast enough: every read beat is in time, every write is
// answered after a fixed time. It depends on the kernel state, the beat alignment of the tensors and the page alignment
// of OUT. Replay checks the assumption with the real memory.
struct Interval {
  Cycles cycles = 0;
  std::uint32_t next = 0;        // kernel state
  BlockActivities activities{};  // readers: as if they requested nothing
  ArrayStarved array_starved{};
  std::array<std::vector<engine::Run>, 2> consumed;  // INP, KERN: cycles in which a beat is consumed
  engine::Transfers out;                             // port OUT
  std::int64_t written = 0, writes = 0;              // beats, bursts
  Cycles write_busy = 0, write_wait = 0;
  std::vector<engine::Run> answers;  // cycles in which write responses become visible, possibly after the end
  std::int64_t outstanding = 0;      // unanswered write bursts at the start
  std::vector<Cycles> pending;       // visible cycles of their responses, as far as known
  Footprint footprint;               // must lie in the convolution, see fits()
  bool out_moved = false;
};

// Requests of a reader while the kernel consumes beats during an interval. They depend on the reader state, the cycles
// in which beats are consumed, and the page alignment of the tensor.
struct ReadAhead {
  std::uint32_t next = 0;  // reader state
  engine::Transfers transfers;
  std::int64_t bursts = 0;
  Cycles wait = 0;               // cycles with an outstanding burst and no beat
  Cycles request_only = 0;       // cycles with a request and no beat: active, but Interval counts them as blocked
  std::int64_t ranges_seen = 0;  // from the anchor's first range on
};

}  // namespace weft::fpgpt::exact
