#pragma once

#include <cstdint>
#include <vector>

#include "model/core/units.h"

namespace weft::engine {

enum class Transfer : std::uint8_t { None, Read, Write, WriteBeat };

// What a kernel sends to its memory at one moment of a stretch. Ports are numbered as the memory numbers them.
struct Event {
  std::int32_t cycle = 0;  // of the stretch
  Transfer transfer = Transfer::None;
  std::uint8_t port = 0;
  std::uint16_t beats = 0;
  std::uint16_t base = 0;   // which of the bases ...
  std::int64_t offset = 0;  // ... the address is relative to, in bytes
  bool has_address() const { return transfer == Transfer::Read || transfer == Transfer::Write; }
  friend bool operator==(const Event& a, const Event& b) {
    return a.cycle == b.cycle && a.transfer == b.transfer && a.port == b.port && a.beats == b.beats &&
           a.base == b.base && a.offset == b.offset;
  }
};

// What addresses of a stretch are relative to: a place of a port, by a number whose meaning is the design's. Which
// address it stands for depends on where the stretch is walked.
struct Base {
  std::uint8_t port = 0;
  std::int64_t number = 0;
  friend bool operator==(const Base& a, const Base& b) { return a.port == b.port && a.number == b.number; }
};

// What one port sends in a stretch, in order.
struct Transfers {
  std::vector<Base> bases;
  std::vector<Event> events;
};

}  // namespace weft::engine
