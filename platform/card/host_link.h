#pragma once

#include <systemc>

#include "platform/card/transfer_extension.h"

namespace weft::card {

// Simulated time of a card run, in whole picoseconds.
class CardClock {
 public:
  Picoseconds now() const { return now_; }
  void advance(Picoseconds duration) { now_ += duration; }

 private:
  Picoseconds now_ = 0;
};

// What software on the host asks of the card over PCIe: one call at a time, which returns when it is over.
class HostLink : public sc_core::sc_module, private BlockingInitiator {
 public:
  // `card_bytes`: of all banks, for messages. The clock outlives this.
  HostLink(const sc_core::sc_module_name& name, CardClock& clock, Bytes card_bytes);
  CardInitiatorSocket socket;

  // `host_address`: where the host's buffer lies, of which only the place in a page matters. Throws Error if the range
  // is not within the card's memory; then nothing was moved and no time has passed.
  void write(Address card_address, const void* data, Bytes bytes, Address host_address, const link::CallCost& cost,
             bool copied = false);
  void read(Address card_address, void* data, Bytes bytes, Address host_address, const link::CallCost& cost,
            bool copied = false);

 private:
  void transfer(tlm::tlm_command command, Address card_address, void* data, Bytes bytes, Address host_address,
                const link::CallCost& cost, bool copied);

  CardClock& clock_;
  Bytes card_bytes_;
};

}  // namespace weft::card
