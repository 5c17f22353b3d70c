#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "model/core/topology.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"
#include "model/systemc/axi_tlm.h"
#include "model/systemc/event_clock.h"

namespace weft::systemc {

// Memory channels of the kernel's ports, one target socket per port. Hosts a memory::Memory and, in data mode, the
// contents of the channels; the host reaches the contents in zero simulated time through transport_dbg.
class MemoryModule : public Stepped {
 public:
  MemoryModule(const sc_core::sc_module_name& name, EventClock& clock, const std::vector<PortInfo>& ports);
  ~MemoryModule() override;

  AxiTargetSocket& socket(memory::PortId port);

  // Sets memory and contents of the next convolution; `channels` is empty in timing mode. Ports that `channel_of_port`
  // does not list are idle.
  void load(memory::Memory& memory, std::vector<memory::Store>* channels, std::vector<int> channel_of_port);
  memory::Memory& memory() { return *memory_; }

 private:
  class PortTarget;
  void step();
  void account(Cycles) override {}  // ports count their own cycles
  // Passes on all beats and responses with a known cycle; consecutive ones together.
  void deliver(PortTarget& target);

  std::vector<std::unique_ptr<PortTarget>> targets_;  // per port
  memory::Memory* memory_ = nullptr;
  std::vector<memory::Store>* channels_ = nullptr;
  std::vector<int> channel_of_port_;
};

}  // namespace weft::systemc
