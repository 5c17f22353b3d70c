#pragma once

#include <cstdint>
#include <vector>

#include "model/core/activity.h"
#include "model/stream/ports.h"

namespace weft::stream {

// Events of a FIFO in one cycle.
struct FifoEvent {
  int fill = 0;  // tokens at the start of the cycle
  bool push = false, pop = false;
  std::vector<std::uint32_t> words;  // data mode: words of the token pushed
};

// Handshakes of a port that its environment accepts in a cycle.
struct PortReady {
  bool address = true;
  bool data = true;  // W beat, write port only
};

// Transfers at a port in one cycle.
struct PortEvents {
  bool address = false;  // AR or AW
  BurstRequest request;
  bool beat = false;                 // R or W
  bool response = false;             // B, write port only
  std::vector<std::uint32_t> words;  // data mode: words of the beat sent
  std::vector<bool> strobe;          // per word
  bool last = false;                 // WLAST
  int transfers() const { return address + beat + response; }
  friend bool operator==(const PortEvents& a, const PortEvents& b) {
    const bool same = !a.address || (a.request.address == b.request.address && a.request.beats == b.request.beats);
    return a.address == b.address && same && a.beat == b.beat && a.response == b.response && a.words == b.words &&
           a.strobe == b.strobe && a.last == b.last;
  }
};

// Events of a kernel in one cycle, each list in topology order.
struct CycleEvents {
  std::vector<Activity> blocks;
  std::vector<FifoEvent> fifos;
  std::vector<PortEvents> ports;
};

}  // namespace weft::stream
