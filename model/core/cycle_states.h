#pragma once

#include <vector>

#include "model/core/activity.h"

namespace weft {

// Which handshakes of an AXI port took place in a cycle.
struct PortHandshakes {
  bool address = false;   // AR or AW
  bool beat = false;      // R or W
  bool response = false;  // B, of a write port
};

// What a kernel shows in one cycle, each in the order of its topology.
struct CycleStates {
  std::vector<Activity> blocks;
  std::vector<int> fills;  // tokens in each FIFO at the start of the cycle
  std::vector<PortHandshakes> ports;
};

}  // namespace weft
