#pragma once

#include <systemc>
#include <vector>

#include "model/memory/store.h"
#include "platform/card/register_extension.h"

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

}  // namespace weft::card
