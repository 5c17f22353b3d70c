#pragma once

#include <systemc>

#include "model/fpgpt/kernel.h"
#include "model/systemc/axi_tlm.h"
#include "model/systemc/event_clock.h"
#include "model/systemc/fifo_channel.h"

namespace weft::systemc {

// What a subsystem module needs of its surroundings: the clock that steps it, the state it hosts, and where it counts
// what its blocks do. State and counts belong to the platform, because they are replaced as a whole when the next
// convolution is loaded.
struct Host {
  EventClock& clock;
  fpgpt::Kernel& kernel;
  fpgpt::BlockActivities& activities;
};

// INP or KERN: a DDR reader and what makes the array's tokens of its beats. One process, stepped once a cycle. `kFirst`
// is the reader, before the subsystem's other blocks.
template <auto kSubsystem, fpgpt::Block kFirst>
class LoadModule : public Stepped, public AxiInitiator {
 public:
  LoadModule(const sc_core::sc_module_name& name, Host host);
  AxiInitiatorSocket memory;
  sc_core::sc_port<FifoIf> tokens;

 private:
  void step();
  void account(Cycles cycles) override;
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase& phase, sc_core::sc_time& delay) override;
  auto& subsystem() { return host_.kernel.*kSubsystem; }
  Host host_;
};
using InpModule = LoadModule<&fpgpt::Kernel::inp, fpgpt::Block::InpReader>;
using KernModule = LoadModule<&fpgpt::Kernel::kern, fpgpt::Block::KernReader>;

// The X by Y array: one process for all of its elements.
class ArrayModule : public Stepped {
 public:
  ArrayModule(const sc_core::sc_module_name& name, Host host);
  sc_core::sc_port<FifoIf> column, kern_row, out_row;

 private:
  void step();
  void account(Cycles cycles) override;
  Host host_;
};

// OUT: constructor, encode, writer.
class OutModule : public Stepped, public AxiInitiator {
 public:
  OutModule(const sc_core::sc_module_name& name, Host host);
  AxiInitiatorSocket memory;
  sc_core::sc_port<FifoIf> row;

 private:
  void step();
  void account(Cycles cycles) override;
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase& phase, sc_core::sc_time& delay) override;
  Host host_;
};

}  // namespace weft::systemc
