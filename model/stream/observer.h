#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "model/core/fifo.h"
#include "model/core/topology.h"
#include "model/memory/config.h"
#include "model/memory/memory.h"
#include "model/stream/cycle_events.h"

namespace weft::stream {

// Launch of a kernel under observation.
struct Observed {
  std::string name;                      // "conv1.conv:F"
  std::vector<int> fifo_depths;          // in topology order
  const memory::MemoryConfig* memory{};  // configuration of the ports' memory; outlives the launch
};

// Observer of every stepped cycle of a kernel's launches, which run in sequence, each from its own cycle 0.
class Observer {
 public:
  virtual ~Observer() = default;
  // `memory` outlives the launch and has not started.
  virtual void begin(const Observed&, memory::Memory& /*memory*/) {}
  // Returns the handshakes of each port that the environment accepts in the coming cycle, and in cycles skipped up to
  // the next stepped one; nullptr: all, in every cycle.
  virtual const std::vector<PortReady>* ready() { return nullptr; }
  // Called after each stepped cycle. Until the next stepped cycle no token and no handshake moves, and blocks keep
  // their states. Returning false ends the launch.
  virtual bool after(Cycles now, const CycleEvents& events) = 0;
  // Ends the launch; `cycles`: its length.
  virtual void end([[maybe_unused]] Cycles cycles) {}
};

// Sets the accepted handshakes of the ports of a kernel. Returns true if all are accepted, now and before.
template <class Kernel>
bool set_ready(Kernel& kernel, const std::vector<PortReady>& ready) {
  bool foreseen = true;
  const auto set = [&](bool& of_port, bool accepted) {
    foreseen = foreseen && accepted && of_port;
    of_port = accepted;
  };
  kernel.for_each_port([&](memory::PortId id, auto& port) {
    const PortReady& accepted = ready[static_cast<std::size_t>(id)];
    if constexpr (std::is_same_v<decltype(port), ReadPort&>) {
      set(port.ready, accepted.address);
    } else {
      set(port.address_ready, accepted.address);
      set(port.data_ready, accepted.data);
    }
  });
  return foreseen;
}

// Derives the events of a cycle from a kernel of the model, as the difference to the previous look(). Call it after
// every cycle with movement. No write beat may be accepted before its address.
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
    int burst_left = 0;  // beats left of the write burst whose address was accepted last
  };
  void look(std::size_t index, const Fifo& fifo);
  void look(std::size_t index, const ReadPort& port);
  void look(std::size_t index, const WritePort& port);

  CycleEvents events_;
  std::vector<Seen> fifos_;
  std::vector<SeenPort> ports_;
};

}  // namespace weft::stream
