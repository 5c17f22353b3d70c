#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/engine/arrivals.h"
#include "model/fpgpt/kernel.h"
#include "model/fpgpt/result.h"

namespace weft::engine {

enum class Transfer : std::uint8_t { None, Read, Write, WriteBeat };

// What a kernel sends to its memory at one moment of a stretch.
struct Event {
  std::int32_t cycle = 0;  // of the stretch
  Transfer transfer = Transfer::None;
  std::uint8_t port = 0;
  std::uint16_t beats = 0;
  std::uint16_t base = 0;   // which of the bases ...
  std::int64_t offset = 0;  // ... the address is relative to, in bytes
  friend bool operator==(const Event& a, const Event& b) {
    return a.cycle == b.cycle && a.transfer == b.transfer && a.port == b.port && a.beats == b.beats &&
           a.base == b.base && a.offset == b.offset;
  }
};

// What addresses of a stretch are relative to: the tensor of a port as the pass of the round `rounds` after the
// stretch's own meets it (KERN: the pass after `rounds` passes), or, for OUT, what the round itself writes.
struct Base {
  fpgpt::Port port = fpgpt::Port::Inp;
  std::int64_t rounds = 0;
  friend bool operator==(const Base& a, const Base& b) { return a.port == b.port && a.rounds == b.rounds; }
};

// The first word of OUT that is written in `round`.
Words out_word(const fpgpt::Plan& plan, std::int64_t round);

// The address that a base stands for in a stretch that begins in `round`.
Address base_address(const fpgpt::Plan& plan, std::int64_t round, const Base& base);

// What one port sends in a stretch, in order.
struct Transfers {
  std::vector<Base> bases;
  std::vector<Event> events;

  void add(Transfer transfer, const Base& base, const stream::BurstRequest& request, Cycles cycle,
           const fpgpt::Plan& plan, std::int64_t round);
};

// Some thousand cycles of a kernel for which its memory is fast enough: a read beat is there whenever it is looked for,
// a write is answered after a fixed time. Such a stretch is a function of the state of the kernel and of how the
// tensors lie in beats, OUT in pages; whether it holds for the real memory is checked when it is used.
struct Stretch {
  Cycles cycles = 0;
  std::uint32_t next = 0;                 // the state of the kernel after it
  fpgpt::BlockActivities activities{};    // of the readers as if they asked for nothing
  std::array<std::vector<Run>, 2> takes;  // INP, KERN: the cycles in which a beat is taken
  Transfers out;                          // of port OUT
  std::int64_t written = 0, writes = 0;   // beats, bursts
  Cycles write_busy = 0, write_wait = 0;
  std::vector<Run> answers;  // cycles in which write responses become visible; they may lie behind the end
  // How far it looked: windows from the first of its round on, passes and rounds (F and GI) from its own on, and
  // whether OUT moved. It holds only where all of these are there.
  std::int64_t windows_seen = 0, passes_seen = 0, rounds_fed = 0;
  bool out_moved = false;
};

// What the reader of a port does while the kernel takes beats in the cycles of a stretch: a function of its state, of
// these cycles, and of how its tensor lies in pages.
struct ReadAhead {
  std::uint32_t next = 0;  // the state of the reader after it
  Transfers transfers;
  std::int64_t bursts = 0;
  Cycles wait = 0;        // cycles with a burst outstanding in which no beat was taken
  Cycles only_asked = 0;  // cycles in which it asked and took nothing: for the stretch it was blocked, but it is active
  std::int64_t ranges_seen = 0;  // from the first of the anchor on
};

}  // namespace weft::engine
