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

// A launch of a kernel that is observed.
struct Observed {
  std::string name;                      // "conv1.conv:F"
  std::vector<int> fifo_depths;          // in the order of the topology
  const memory::MemoryConfig* memory{};  // of the ports; outlives the launch
};

// Observer: sees every stepped cycle of the launches of a kernel, one after the other, each from its own cycle 0.
class Observer {
 public:
  virtual ~Observer() = default;
  // `memory` outlives the launch, and has not begun.
  virtual void begin(const Observed&, memory::Memory& /*memory*/) {}
  // Which handshakes of each port the surroundings accept in the coming cycle, and in those that are skipped up to the
  // next that is stepped; nullptr: all, in every cycle.
  virtual const std::vector<PortReady>* ready() { return nullptr; }
  // After each cycle that was stepped; up to the next one that is, no token and no handshake moves, and blocks stay in
  // their states. False ends the launch.
  virtual bool after(Cycles now, const CycleEvents& events) = 0;
  // Ends the launch; `cycles`: its length.
  virtual void end([[maybe_unused]] Cycles cycles) {}
};

// Sets which handshakes the ports of a kernel find accepted. True: all of them, as before.
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
