#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "platform/card/transfer_extension.h"

namespace weft::card {

// The address map of the card: bank i begins at i times the bytes of a bank. What crosses from one bank into the next
// is cut there; what lies beyond the last is answered with an address error and changes nothing.
class Interconnect : public sc_core::sc_module, private BlockingTarget, private BlockingInitiator {
 public:
  Interconnect(const sc_core::sc_module_name& name, int banks, Bytes bytes_per_bank);
  CardTargetSocket socket;
  CardInitiatorSocket& bank(int index) { return *banks_[static_cast<std::size_t>(index)]; }
  Bytes bytes() const { return static_cast<Bytes>(banks_.size()) * bytes_per_bank_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  template <class Send>
  void send(tlm::tlm_generic_payload& payload, Send send);

  Bytes bytes_per_bank_;
  std::vector<std::unique_ptr<CardInitiatorSocket>> banks_;
};

}  // namespace weft::card
