#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "platform/card/transfer_extension.h"
#include "platform/design/address_map.h"

namespace weft::card {

// Routes addresses of the card's memory to its banks. Cuts accesses at bank boundaries. Answers an access outside of
// the memory with an address error and changes nothing.
class Interconnect : public sc_core::sc_module, private BlockingTarget, private BlockingInitiator {
 public:
  Interconnect(const sc_core::sc_module_name& name, const design::AddressMap& memory);
  CardTargetSocket socket;
  CardInitiatorSocket& bank(int index) { return *banks_[static_cast<std::size_t>(index)]; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  template <class Send>
  void send(tlm::tlm_generic_payload& payload, Send send);

  design::AddressMap memory_;
  std::vector<std::unique_ptr<CardInitiatorSocket>> banks_;
};

}  // namespace weft::card
