#pragma once

#include <cstdint>

#include "model/stream/cycle_events.h"

namespace weft::cosim {

using stream::CycleEvents;
using stream::FifoEvent;
using stream::PortEvents;
using stream::PortReady;

// What a port is given in one cycle, beside the beats and responses that the harness holds.
struct PortInputs {
  PortReady ready;
  const Word* beat = nullptr;  // of a read port: visible, or nullptr
  bool last = false;           // RLAST of it
  bool response = false;       // of a write port
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
