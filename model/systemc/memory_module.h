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

// The memory channels behind the kernel's ports, one target socket a port. Hosts a memory::Memory and, in data mode,
// what the channels hold; a host reaches the contents in no time through transport_dbg.
class MemoryModule : public Stepped {
 public:
  MemoryModule(const sc_core::sc_module_name& name, EventClock& clock, const std::vector<PortInfo>& ports);
  ~MemoryModule() override;

  AxiTargetSocket& socket(memory::PortId port);

  // Takes over for the next convolution; `channels` is empty in timing mode. Ports beyond those of `channel_of_port`,
  // which are the memory's, are idle.
  void load(memory::Memory& memory, std::vector<memory::Store>* channels, std::vector<int> channel_of_port);
  memory::Memory& memory() { return *memory_; }

 private:
  class PortTarget;
  void step();
  void account(Cycles) override {}  // ports count for themselves
  // Hands on all beats and responses whose cycle is known, consecutive ones together.
  void deliver(PortTarget& target);

  std::vector<std::unique_ptr<PortTarget>> targets_;  // by port
  memory::Memory* memory_ = nullptr;
  std::vector<memory::Store>* channels_ = nullptr;
  std::vector<int> channel_of_port_;
};

}  // namespace weft::systemc
