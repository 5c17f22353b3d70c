#pragma once

#include <array>
#include <systemc>

#include "model/core/topology.h"
#include "model/memory/traffic.h"
#include "model/systemc/axi_tlm.h"
#include "model/systemc/event_clock.h"

namespace weft::systemc {

// Ports of a DMA engine, numbered after those of the kernel.
inline constexpr std::array<PortInfo, 2> kDmaPorts{
    {{"dma_read", "dma", PortDirection::Read, "data of transfers to the host"},
     {"dma_write", "dma", PortDirection::Write, "data of transfers from the host"}}};

// Hosts the memory side of a DMA engine; sleeps without a transfer. Timing only: no data moves.
class DmaModule : public Stepped, public AxiInitiator {
 public:
  DmaModule(const sc_core::sc_module_name& name, EventClock& clock);
  AxiInitiatorSocket read, write;

  // Sets the transfers of the next run; nullptr: none.
  void load(memory::DmaMaster* master) { master_ = master; }
  // Same as Kernel::quiet_until().
  Cycles quiet_until(Cycles now) const { return master_ ? master_->quiet_until(now) : kNever; }

 private:
  void step();
  void account(Cycles) override {}
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase& phase, sc_core::sc_time& delay) override;

  memory::DmaMaster* master_ = nullptr;
};

}  // namespace weft::systemc
