#pragma once

#include <systemc>

#include "model/memory/store.h"
#include "platform/card/transfer_extension.h"
#include "platform/config/board.h"

namespace weft::card {

// Throws Error that names the keys unless the memory of the card keeps up with every transfer, so that the link alone
// determines transfer times. A bank, with refreshes, must be faster than the link in either direction. The DMA engine's
// FIFO must have room for the data that arrives during a refresh. Throws Error for a board without PCIe, too.
void require_memory_keeps_up(const config::Board& board);

// One DDR bank of the card, as the DMA engine sees it. It shares its contents with the kernel's memory channel. It adds
// no time: see require_memory_keeps_up().
class DdrBank : public sc_core::sc_module, private BlockingTarget {
 public:
  DdrBank(const sc_core::sc_module_name& name, memory::Store& contents);  // must outlive the bank
  CardTargetSocket socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  memory::Store& contents_;
};

}  // namespace weft::card
