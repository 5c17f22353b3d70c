#pragma once

#include <vector>

#include "model/core/cycle_states.h"
#include "model/core/fifo.h"
#include "model/stream/ports.h"

namespace weft::waves {

// What a model's kernel shows in a cycle that was stepped, read from its state behind it.
class WatchedStates {
 public:
  WatchedStates(std::size_t fifos, std::size_t ports) : fills_(fifos), busy_(ports) {}

  // At the start of the cycle: what the one before left.
  const std::vector<int>& fills() const { return fills_; }
  void leave(std::size_t i, const Fifo& fifo) { fills_[i] = static_cast<int>(fifo.pushed() - fifo.popped()); }

  PortHandshakes read(std::size_t i, const stream::ReadPort& port) {
    const bool beat = port.busy_cycles != busy_[i];
    busy_[i] = port.busy_cycles;
    return {port.requested, beat, false};
  }
  static PortHandshakes write(const stream::WritePort& port) {
    return {port.requested, port.beat_sent, port.response_taken};
  }

 private:
  std::vector<int> fills_;    // at the end of the last cycle
  std::vector<Cycles> busy_;  // likewise: cycles in which a read port moved a beat
};

}  // namespace weft::waves
