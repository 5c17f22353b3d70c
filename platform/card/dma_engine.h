#pragma once

#include <systemc>

#include "model/link/link.h"
#include "platform/card/transfer_extension.h"

namespace weft::card {

// The card's end of the link: determines how long each transfer takes, and passes it to the DMA engine.
class PcieEndpoint : public sc_core::sc_module, private BlockingTarget, private BlockingInitiator {
 public:
  PcieEndpoint(const sc_core::sc_module_name& name, const link::PcieConfig& config);
  CardTargetSocket socket;     // from the host
  CardInitiatorSocket engine;  // to the DMA engine

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;

  link::Link link_;
};

// The data path of the card's DMA engine: moves a transfer's bytes between the host's memory and the card's. The
// endpoint gets the times from the link's model (model/link/dma_transfer.h).
class DmaEngine : public sc_core::sc_module, private BlockingTarget, private BlockingInitiator {
 public:
  explicit DmaEngine(const sc_core::sc_module_name& name);
  CardTargetSocket socket;     // transfers
  CardInitiatorSocket memory;  // to the card's memory

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
};

}  // namespace weft::card
