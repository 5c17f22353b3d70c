#include "platform/card/pcie_endpoint.h"

namespace weft::card {

PcieEndpoint::PcieEndpoint(const sc_core::sc_module_name& name, const link::PcieConfig& config)
    : sc_module(name), socket("socket"), engine("engine"), link_(config) {
  socket.bind(*this);
  engine.bind(*this);
}

void PcieEndpoint::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  TransferExtension& transfer = *payload.get_extension<TransferExtension>();
  const auto direction = payload.is_write() ? link::Direction::HostToCard : link::Direction::CardToHost;
  if (transfer.timed) {
    const Bytes bytes = transfer.bytes_before + transfer.bytes;
    transfer.duration = link_.time(direction, transfer.host_address, bytes, transfer.cost, transfer.copied);
    transfer.bound = link_.transfer(direction, transfer.host_address, bytes).bound;
  }
  engine->b_transport(payload, delay);
}

}  // namespace weft::card
