#pragma once

#include <systemc>

#include "model/core/fifo.h"
#include "model/systemc/event_clock.h"

namespace weft::systemc {

// A FIFO between two subsystems, bound through ports so that elaboration checks the wiring. Either side tells the other
// when it has touched it.
class FifoIf : public virtual sc_core::sc_interface {
 public:
  virtual Fifo& fifo() = 0;
  virtual Stepped& producer() = 0;
  virtual Stepped& consumer() = 0;
};
class FifoChannel : public sc_core::sc_module, public FifoIf {
 public:
  FifoChannel(const sc_core::sc_module_name& name, Fifo& state, Stepped& producer, Stepped& consumer)
      : sc_module(name), state_(state), producer_(producer), consumer_(consumer) {}
  Fifo& fifo() override { return state_; }
  Stepped& producer() override { return producer_; }
  Stepped& consumer() override { return consumer_; }

 private:
  Fifo& state_;
  Stepped& producer_;
  Stepped& consumer_;
};

}  // namespace weft::systemc
