#pragma once

#include <cstdint>
#include <vector>

#include "model/stream/ports.h"

namespace weft::cosim {

// What a FIFO did in one cycle.
struct FifoEvent {
  bool push = false, pop = false;
  std::vector<std::uint32_t> words;  // of the token pushed
};

// Which handshakes of a port the surroundings accept in a cycle.
struct PortReady {
  bool address = true;
  bool data = true;  // of a write port: a beat
};

// What a port is given in one cycle, beside the beats and responses that the harness holds.
struct PortInputs {
  PortReady ready;
  const Word* beat = nullptr;  // of a read port: visible, or nullptr
  bool last = false;           // RLAST of it
  bool response = false;       // of a write port
};

// What crossed a port in one cycle.
struct PortEvents {
  bool address = false;
  stream::BurstRequest request;
  bool beat = false;      // taken by a read port, or sent by a write port
  bool response = false;  // taken by a write port
  std::vector<std::uint32_t> words;
  std::vector<bool> strobe;  // per word
  bool last = false;         // WLAST
  int transfers() const { return address + beat + response; }
  friend bool operator==(const PortEvents& a, const PortEvents& b) {
    const bool same = !a.address || (a.request.address == b.request.address && a.request.beats == b.request.beats);
    return a.address == b.address && same && a.beat == b.beat && a.response == b.response && a.words == b.words &&
           a.strobe == b.strobe && a.last == b.last;
  }
};

// What happened in one cycle: FIFOs and ports in the order of the design's topology.
struct CycleEvents {
  std::vector<FifoEvent> fifos;
  std::vector<PortEvents> ports;
};

// What a master of the kernel's AXI4-Lite port offers and accepts in one cycle.
struct ControlInputs {
  bool write_address = false, write_data = false, response_ready = false, read_address = false, word_ready = false;
  std::uint32_t address_to_write = 0, data = 0, address_to_read = 0;
  unsigned strobes = 0;
};

// What crossed it: whether address and data of a write were taken, and so on.
struct ControlEvents {
  bool write_address = false, write_data = false, response = false, read_address = false, word = false;
  std::uint32_t data = 0;             // of the word
  int write_resp = 0, read_resp = 0;  // BRESP, RRESP
};

}  // namespace weft::cosim
