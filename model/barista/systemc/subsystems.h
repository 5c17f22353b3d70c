#pragma once

#include <systemc>

#include "model/barista/kernel.h"
#include "model/barista/result.h"
#include "model/systemc/axi_tlm.h"
#include "model/systemc/event_clock.h"
#include "model/systemc/fifo_channel.h"

namespace weft::barista::systemc {

// What a subsystem module needs of its surroundings: the clock that steps it, the state it hosts, and where it counts
// what its blocks do. State and counts belong to the platform, because they are replaced as a whole when the next GEMM
// is loaded.
struct Host {
  weft::systemc::EventClock& clock;
  Kernel& kernel;
  BlockActivities& activities;
};

// A reader and the fill behind it, of A or of B.
class LoadModule : public weft::systemc::Stepped, public weft::systemc::AxiInitiator {
 public:
  LoadModule(const sc_core::sc_module_name& name, Host host, LoadSubsystem Kernel::*subsystem,
             void (Kernel::*step_subsystem)(Cycles), Block first);
  weft::systemc::AxiInitiatorSocket memory;
  sc_core::sc_port<weft::systemc::FifoIf> tile;

 private:
  void step();
  void account(Cycles cycles) override;
  tlm::tlm_sync_enum nb_transport_bw(weft::systemc::AxiTransfer& transfer, weft::systemc::AxiPhase& phase,
                                     sc_core::sc_time& delay) override;
  LoadSubsystem& subsystem() { return host_.kernel.*subsystem_; }

  Host host_;
  LoadSubsystem Kernel::*subsystem_;
  void (Kernel::*step_subsystem_)(Cycles);
  std::size_t first_;
};

// The mesh with its final adds: one process for all of its elements.
class MeshModule : public weft::systemc::Stepped {
 public:
  MeshModule(const sc_core::sc_module_name& name, Host host);
  sc_core::sc_port<weft::systemc::FifoIf> a_tile, b_tile, c_tile;

 private:
  void step();
  void account(Cycles cycles) override;
  Host host_;
};

// Drain, encode and writer.
class StoreModule : public weft::systemc::Stepped, public weft::systemc::AxiInitiator {
 public:
  StoreModule(const sc_core::sc_module_name& name, Host host);
  weft::systemc::AxiInitiatorSocket memory;
  sc_core::sc_port<weft::systemc::FifoIf> tile;

 private:
  void step();
  void account(Cycles cycles) override;
  tlm::tlm_sync_enum nb_transport_bw(weft::systemc::AxiTransfer& transfer, weft::systemc::AxiPhase& phase,
                                     sc_core::sc_time& delay) override;
  Host host_;
};

}  // namespace weft::barista::systemc
