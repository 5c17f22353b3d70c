#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/core/units.h"
#include "model/memory/ddr4_address.h"

namespace weft::engine {

enum class Transfer : std::uint8_t { None, Read, Write, WriteBeat };

// What a kernel sends to its memory at one moment of a interval. Ports are numbered as the memory numbers them.
struct Event {
  std::int32_t cycle = 0;  // of the interval
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

// What addresses of a interval are relative to: a place of a port, by a number whose meaning is the design's. Which
// address it stands for depends on where the interval is walked.
struct Base {
  std::uint8_t port = 0;
  std::int64_t number = 0;
  friend bool operator==(const Base& a, const Base& b) { return a.port == b.port && a.number == b.number; }
};

// What one port sends in a interval, in order.
struct Transfers {
  std::vector<Base> bases;
  std::vector<Event> events;
};

// What the ports of a channel are sent in a interval. events[0] is no transfer, in cycle 0. Many intervals send the
// same.
struct RequestTrace {
  std::uint32_t number = 0;     // of its own
  std::int32_t last_base = -1;  // what the last address is relative to; -1: there is no address
  std::int64_t last_offset = 0;
  Cycles cycles = 0;
  std::vector<Base> bases;  // that the events mean
  std::vector<Event> events;
  std::vector<std::int32_t> addressed;  // for each event the last one before it that has an address, or -1
  // The bytes that are touched relative to a base, from the lowest on.
  struct Extent {
    std::int64_t first, last;
  };
  std::vector<Extent> extents;  // of each base

  // What the ports of a channel send together, each in order; those of a cycle in the order of the ports.
  static RequestTrace of(Cycles cycles, const std::vector<const Transfers*>& ports, Bytes beat_bytes);
  std::size_t memory() const;  // bytes, about
};
struct RequestTraceHash {
  std::size_t operator()(const RequestTrace& trace) const;
};
bool operator==(const RequestTrace& a, const RequestTrace& b);  // the same transfers, whatever their numbers

// The addresses that the bases of a trace stand for. They follow from the first and from `spread`, so that where all
// was seen before they need not be made by `fill`, which appends them.
struct Bases {
  Address first = 0;
  std::uint64_t spread = 0;
  std::function<void(const RequestTrace&, std::vector<Address>&)> fill;
};

// A trace at its time and place.
struct PlacedTrace {
  Cycles origin;
  const RequestTrace& trace;
  const std::vector<Address>& bases;
  std::int64_t row;  // before the trace
  Address address(std::size_t i) const {
    const Event& event = trace.events[i];
    return bases[event.base] + event.offset;
  }
  std::int64_t row_before(std::size_t i) const {
    const std::int32_t last = trace.addressed[i];
    return last < 0 ? row : address(static_cast<std::size_t>(last)) >> memory::kRowBit;
  }
  Cycles gap(std::size_t i) const {
    return (i + 1 < trace.events.size() ? trace.events[i + 1].cycle : trace.cycles) - trace.events[i].cycle;
  }
};

}  // namespace weft::engine
