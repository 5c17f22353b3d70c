#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "model/core/topology.h"
#include "model/memory/memory.h"
#include "platform/hardware/cosim/case.h"

namespace weft::cosim {

// The memory that the RTL's ports are wired to, with the beats and responses in flight to them. A request outside the
// memory is not answered.
class AxiSide {
 public:
  AxiSide(const Topology& topology, const AxiEnvironment& environment, std::vector<memory::Store> contents, int band);

  // Returns the inputs of the ports in this cycle.
  const std::vector<PortInputs>& inputs(Cycles now, const std::vector<PortReady>& ready);
  // Takes the events of the ports in the same cycle.
  void after(Cycles now, const std::vector<PortEvents>& events);

  bool reads_open() const;
  bool writes_open() const;  // bursts without a response
  Words written() const { return written_; }
  std::vector<memory::Store>& stores() { return stores_; }
  memory::Memory& memory() { return *memory_; }

 private:
  struct Port {
    memory::PortId id = 0;
    bool read = false;
    int channel = 0;
    stream::BeatQueue arrivals;  // beats of a read port, responses of a write port
    std::deque<int> bursts;      // read port: remaining beats of each open burst
    int responses = 0;           // write port: outstanding responses
    Address write_address = 0;   // of the next write beat
    int write_left = 0;          // remaining beats of the open write burst
  };
  void deliver(Port& port);
  bool fits(const Port& port, const stream::BurstRequest& burst) const;
  void write(Port& port, const PortEvents& events, Cycles now);

  std::unique_ptr<memory::Memory> memory_;
  Bytes beat_bytes_;
  std::vector<memory::Store> stores_;
  std::vector<Port> ports_;
  std::vector<PortInputs> inputs_;
  Words written_ = 0;
};

}  // namespace weft::cosim
