#pragma once

#include <systemc>

#include "model/memory/store.h"
#include "platform/card/transfer_extension.h"
#include "platform/config/board.h"

namespace weft::card {

// That a bank of the card's memory never holds up a transfer, so that the link alone says how long it takes: its rate,
// refreshes included, exceeds the link's in either direction, and the DMA engine's FIFO has room for what arrives while
// a refresh stops it. Throws Error that names the keys. A board without PCIe is an error too.
void require_memory_keeps_up(const config::Board& board);

// One DDR bank of the card as the DMA engine reaches it. What it holds is the kernel's memory channel. Its timing is
// that of the link: see require_memory_keeps_up().
class DdrBank : public sc_core::sc_module, private BlockingTarget {
 public:
  DdrBank(const sc_core::sc_module_name& name, memory::Store& contents);  // which outlive it
  CardTargetSocket socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  memory::Store& contents_;
};

}  // namespace weft::card
