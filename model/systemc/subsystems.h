#pragma once

#include <systemc>

#include "model/fpgpt/kernel.h"
#include "model/systemc/axi_tlm.h"
#include "model/systemc/event_clock.h"

namespace weft::systemc {

// What a subsystem module needs of its surroundings: the clock that steps it and the state it hosts. The state belongs
// to the platform, because it is replaced as a whole when the next convolution is loaded.
struct Host {
  EventClock& clock;
  fpgpt::Kernel& kernel;
};

// A process that is stepped every cycle, and sleeps while nothing it sees can change: none of its blocks was active,
// its port waits for nothing, and no neighbour touched their common FIFOs. Its blocks then answer every cycle what they
// answered last.
class Sleeper : public sc_core::sc_module {
 public:
  using sc_module::sc_module;
  // A neighbour has touched a common FIFO: from the next cycle on, step again.
  void wake() {
    if (!asleep_) return;
    asleep_ = false;
    woken_ = true;
    wake_.notify();
  }

 protected:
  // True in the activation that only ends the sleep.
  bool waking() {
    const bool woken = woken_;
    woken_ = false;
    return woken;
  }
  void sleep() {
    asleep_ = true;
    next_trigger(wake_);
  }

 private:
  bool asleep_ = false, woken_ = false;
  sc_core::sc_event wake_;
};

// A FIFO between two subsystems, bound through ports so that elaboration checks the wiring. Either side tells the other
// when it has touched it.
class FifoIf : public virtual sc_core::sc_interface {
 public:
  virtual Fifo& fifo() = 0;
  virtual Sleeper& producer() = 0;
  virtual Sleeper& consumer() = 0;
};
class FifoChannel : public sc_core::sc_module, public FifoIf {
 public:
  FifoChannel(const sc_core::sc_module_name& name, Fifo& state, Sleeper& producer, Sleeper& consumer)
      : sc_module(name), state_(state), producer_(producer), consumer_(consumer) {}
  Fifo& fifo() override { return state_; }
  Sleeper& producer() override { return producer_; }
  Sleeper& consumer() override { return consumer_; }

 private:
  Fifo& state_;
  Sleeper& producer_;
  Sleeper& consumer_;
};

// INP: DDR reader, decode, construct, im2col. One process, stepped once a cycle.
class InpModule : public Sleeper, public AxiInitiator {
 public:
  InpModule(const sc_core::sc_module_name& name, Host host);
  AxiInitiatorSocket memory;
  sc_core::sc_port<FifoIf> column;

 private:
  void step();
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase& phase, sc_core::sc_time& delay) override;
  Host host_;
};

// KERN: DDR reader, decode, feeder.
class KernModule : public Sleeper, public AxiInitiator {
 public:
  KernModule(const sc_core::sc_module_name& name, Host host);
  AxiInitiatorSocket memory;
  sc_core::sc_port<FifoIf> row;

 private:
  void step();
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase& phase, sc_core::sc_time& delay) override;
  Host host_;
};

// The X by Y array: one process for all of its elements.
class ArrayModule : public Sleeper {
 public:
  ArrayModule(const sc_core::sc_module_name& name, Host host);
  sc_core::sc_port<FifoIf> column, kern_row, out_row;

 private:
  void step();
  Host host_;
};

// OUT: constructor, encode, writer.
class OutModule : public Sleeper, public AxiInitiator {
 public:
  OutModule(const sc_core::sc_module_name& name, Host host);
  AxiInitiatorSocket memory;
  sc_core::sc_port<FifoIf> row;

 private:
  void step();
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase& phase, sc_core::sc_time& delay) override;
  Host host_;
};

}  // namespace weft::systemc
