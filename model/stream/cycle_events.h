#pragma once

#include <cstdint>
#include <vector>

#include "model/core/activity.h"
#include "model/stream/ports.h"

namespace weft::stream {

// What a FIFO did in one cycle.
struct FifoEvent {
  int fill = 0;  // tokens at the start of the cycle
  bool push = false, pop = false;
  std::vector<std::uint32_t> words;  // data mode: of the token pushed
};

// Which handshakes of a port the surroundings accept in a cycle.
struct PortReady {
  bool address = true;
  bool data = true;  // of a write port: a beat
};

// What crossed a port in one cycle.
struct PortEvents {
  bool address = false;  // AR or AW
  BurstRequest request;
  bool beat = false;                 // R or W
  bool response = false;             // B, of a write port
  std::vector<std::uint32_t> words;  // data mode: of the beat sent
  std::vector<bool> strobe;          // per word
  bool last = false;                 // WLAST
  int transfers() const { return address + beat + response; }
  friend bool operator==(const PortEvents& a, const PortEvents& b) {
    const bool same = !a.address || (a.request.address == b.request.address && a.request.beats == b.request.beats);
    return a.address == b.address && same && a.beat == b.beat && a.response == b.response && a.words == b.words &&
           a.strobe == b.strobe && a.last == b.last;
  }
};

// What a kernel shows in one cycle, each in the order of its topology.
struct CycleEvents {
  std::vector<Activity> blocks;
  std::vector<FifoEvent> fifos;
  std::vector<PortEvents> ports;
};

}  // namespace weft::stream
