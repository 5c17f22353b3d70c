#include "model/systemc/dma_module.h"

namespace weft::systemc {

DmaModule::DmaModule(const sc_core::sc_module_name& name, EventClock& clock)
    : Stepped(name, clock), read("read"), write("write") {
  read.bind(*this);
  write.bind(*this);
  SC_HAS_PROCESS(DmaModule);
  SC_METHOD(step);
  sensitive << clock.tick();
  dont_initialize();
}

void DmaModule::step() {
  if (waking()) return;
  if (!master_) return sleep();
  const std::optional<memory::TrafficBurst> burst = master_->step(now());
  if (burst) {
    AxiTransfer transfer{burst->address, burst->beats, now()};
    forward(burst->write ? write : read, transfer, burst->write ? AxiPhase::WriteAddress : AxiPhase::ReadAddress);
    if (burst->write) forward(write, transfer, AxiPhase::WriteData);
  }
  if (master_->moved()) clock().moved(now());
}

tlm::tlm_sync_enum DmaModule::nb_transport_bw(AxiTransfer& transfer, AxiPhase& phase, sc_core::sc_time&) {
  for (int i = 0; i < transfer.beats; ++i) {
    if (phase == AxiPhase::ReadData) {
      master_->beat(transfer.cycle + i);
    } else {
      master_->response(transfer.cycle + i);
    }
  }
  return tlm::TLM_ACCEPTED;
}

}  // namespace weft::systemc
