#pragma once

#include <string>
#include <vector>

#include "model/core/cycle_states.h"
#include "model/memory/config.h"
#include "model/memory/memory.h"

namespace weft::waves {

// A launch of a kernel that is watched.
struct Watched {
  std::string name;                      // "conv1.conv:F"
  std::vector<int> fifo_depths;          // in the order of the topology
  const memory::MemoryConfig* memory{};  // of the ports; outlives the launch
};

// Stands beside launches of a kernel, one after the other, each from its own cycle 0.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // `memory` outlives the launch, and has not begun.
  virtual void begin(const Watched& what, memory::Memory& memory) = 0;
  // After each cycle that was stepped; up to the next one that is, no token and no handshake moves, and blocks stay in
  // their states. False ends the launch.
  virtual bool after(Cycles now, const CycleStates& states) = 0;
  // The launch took so many cycles.
  virtual void end(Cycles cycles) = 0;
};

}  // namespace weft::waves
