#pragma once

#include <systemc>
#include <vector>

#include "model/memory/store.h"
#include "platform/card/host_link.h"
#include "platform/card/transfer_extension.h"

namespace weft::card {

// Where the kernel computes. A start, which is a write with a RegisterExtension, is carried out at once on what the
// banks hold; when it is over in simulated time is the launch's to say, and until then nobody else uses those banks.
class ComputeUnit : public sc_core::sc_module, private BlockingTarget {
 public:
  ComputeUnit(const sc_core::sc_module_name& name, std::vector<memory::Store>& banks);  // which outlive it
  ControlTargetSocket socket;
  void load(design::CardKernel* kernel) { kernel_ = kernel; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;

  std::vector<memory::Store>& banks_;
  design::CardKernel* kernel_ = nullptr;
};

// The AXI4-Lite slave in front of the kernel that is loaded: one word an access, byte enables are the strobes. Answers
// as the kernel's registers do at the clock's time. Without a kernel it answers with an address error.
class KernelControl : public sc_core::sc_module, private BlockingTarget, private BlockingInitiator {
 public:
  KernelControl(const sc_core::sc_module_name& name, const CardClock& clock);  // which outlives it
  ControlTargetSocket socket;
  ControlInitiatorSocket unit;

  void load(design::CardKernel* kernel);  // reset; nullptr: none
  // Since when, and until when, the last launch keeps the kernel busy.
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
