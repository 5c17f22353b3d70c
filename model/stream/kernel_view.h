#pragma once

#include <cstdint>
#include <vector>

#include "model/core/fifo.h"
#include "model/core/topology.h"
#include "model/memory/memory.h"
#include "model/stream/cycle_events.h"

namespace weft::stream {

// Reads the events of a cycle off a kernel of the model: the difference to what it saw when it last looked. To be asked
// after every cycle in which anything moved; no write beat is accepted before its address.
class KernelView {
 public:
  explicit KernelView(const Topology& topology);

  // A kernel has last(), fifos and for_each_port(visit), each in the order of its topology.
  template <class Kernel>
  const CycleEvents& look(Kernel& kernel) {
    const auto last = kernel.last();
    events_.blocks.assign(last.begin(), last.end());
    for (std::size_t i = 0; i < kernel.fifos.size(); ++i) look(i, kernel.fifos[i]);
    kernel.for_each_port([&](memory::PortId id, const auto& port) { look(static_cast<std::size_t>(id), port); });
    return events_;
  }

 private:
  struct Seen {
    std::int64_t pushed = 0, popped = 0;
  };
  struct SeenPort {
    Cycles busy = 0;
    int burst_left = 0;  // beats to come of the write burst whose address was accepted last
  };
  void look(std::size_t index, const Fifo& fifo);
  void look(std::size_t index, const ReadPort& port);
  void look(std::size_t index, const WritePort& port);

  CycleEvents events_;
  std::vector<Seen> fifos_;
  std::vector<SeenPort> ports_;
};

}  // namespace weft::stream
