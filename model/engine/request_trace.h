#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/core/units.h"
#include "model/memory/ddr4_address.h"

namespace weft::engine {

enum class Transfer : std::uint8_t { None, Read, Write, WriteBeat };

// Request or write beat that a kernel sends in one cycle of an interval. Port numbers are the memory's.
struct Event {
  std::int32_t cycle = 0;  // of the interval
  Transfer transfer = Transfer::None;
  std::uint8_t port = 0;
  std::uint16_t beats = 0;
  std::uint16_t base = 0;   // index into bases
  std::int64_t offset = 0;  // of the address from the base, bytes
  bool has_address() const { return transfer == Transfer::Read || transfer == Transfer::Write; }
  friend bool operator==(const Event& a, const Event& b) {
    return a.cycle == b.cycle && a.transfer == b.transfer && a.port == b.port && a.beats == b.beats &&
           a.base == b.base && a.offset == b.offset;
  }
};

// Base of addresses, so that intervals at other addresses share a trace. The design defines the meaning of `number`.
struct Base {
  std::uint8_t port = 0;
  std::int64_t number = 0;
  friend bool operator==(const Base& a, const Base& b) { return a.port == b.port && a.number == b.number; }
};

// Bytes of a beat of each port, by its number.
using BeatBytes = std::vector<Bytes>;

// Transfers of one port during an interval, in order.
struct Transfers {
  std::vector<Base> bases;
  std::vector<Event> events;
};

// Requests of all ports of one channel during one interval, in issue order, with addresses relative to tensor bases so
// that intervals can share it. events[0] is a dummy at cycle 0.
struct RequestTrace {
  std::uint32_t number = 0;     // unique in its SharedPool
  std::int32_t last_base = -1;  // base of the last address; -1: no addresses
  std::int64_t last_offset = 0;
  Cycles cycles = 0;
  std::vector<Base> bases;  // of the addresses
  std::vector<Event> events;
  std::vector<std::int32_t> addressed;  // per event: last event before it with an address, or -1
  // First and last byte touched, relative to a base.
  struct Extent {
    std::int64_t first, last;
  };
  std::vector<Extent> extents;  // per base

  // Merges the transfers of ports by cycle, in the order of the ports within a cycle.
  static RequestTrace of(Cycles cycles, const std::vector<const Transfers*>& ports, const BeatBytes& beat_bytes);
  std::size_t memory() const;  // approximate bytes
};
struct RequestTraceHash {
  std::size_t operator()(const RequestTrace& trace) const;
};
bool operator==(const RequestTrace& a, const RequestTrace& b);  // ignores the numbers

// Addresses of the bases of a trace, appended by `fill`. `first` and `spread` determine all of them.
struct Bases {
  Address first = 0;
  std::uint64_t spread = 0;
  std::function<void(const RequestTrace&, std::vector<Address>&)> fill;
};

// Trace with its start cycle and the addresses of its bases.
struct PlacedTrace {
  Cycles origin;
  const RequestTrace& trace;
  const std::vector<Address>& bases;
  std::int64_t row;  // last row before the trace
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
