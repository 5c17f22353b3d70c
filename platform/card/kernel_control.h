#pragma once

#include <systemc>
#include <vector>

#include "model/memory/store.h"
#include "platform/card/host_link.h"
#include "platform/card/transfer_extension.h"

namespace weft::card {

// The compute unit. A start, a write with a RegisterExtension, is computed at once on the contents of the banks. The
// launch says when it ends in simulated time; until then no other access uses its banks.
class ComputeUnit : public sc_core::sc_module, private BlockingTarget {
 public:
  ComputeUnit(const sc_core::sc_module_name& name, std::vector<memory::Store>& banks);  // must outlive the unit
  ControlTargetSocket socket;
  void load(design::CardKernel* kernel) { kernel_ = kernel; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;

  std::vector<memory::Store>& banks_;
  design::CardKernel* kernel_ = nullptr;
};

// AXI4-Lite slave of the loaded kernel: one word per access; byte enables are the strobes. Answers as the kernel's
// registers do at the clock's time, or with an address error if no kernel is loaded.
class KernelControl : public sc_core::sc_module, private BlockingTarget, private BlockingInitiator {
 public:
  KernelControl(const sc_core::sc_module_name& name, const CardClock& clock);  // must outlive this
  ControlTargetSocket socket;
  ControlInitiatorSocket unit;

  void load(design::CardKernel* kernel);  // and resets; nullptr: no kernel
  // Begin and end of the last launch.
  Picoseconds started() const { return started_; }
  Picoseconds busy_until() const { return busy_until_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  void start(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  Cycles since_start() const;

  const CardClock& clock_;
  design::CardKernel* kernel_ = nullptr;
  Picoseconds started_ = -1;
  Picoseconds busy_until_ = 0;
};

}  // namespace weft::card
