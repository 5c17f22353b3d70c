#pragma once

#include <systemc>

#include "model/link/link.h"
#include "platform/card/transfer_extension.h"

namespace weft::card {

// The card's end of the link: says how long each transfer takes, and hands it to the DMA engine.
class PcieEndpoint : public sc_core::sc_module, private BlockingTarget, private BlockingInitiator {
 public:
  PcieEndpoint(const sc_core::sc_module_name& name, const link::PcieConfig& config);
  CardTargetSocket socket;     // from the host
  CardInitiatorSocket engine;  // to the DMA engine

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;

  link::Link link_;
};

}  // namespace weft::card
