#include "platform/card/dma_engine.h"

#include <algorithm>

namespace weft::card {

namespace {

constexpr Bytes kPiece = Bytes{1} << 30;  // a generic payload holds less than 4 GiB

}  // namespace

DmaEngine::DmaEngine(const sc_core::sc_module_name& name) : sc_module(name), socket("socket"), memory("memory") {
  socket.bind(*this);
  memory.bind(*this);
}

void DmaEngine::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const TransferExtension& transfer = *payload.get_extension<TransferExtension>();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  for (Bytes done = 0; done < transfer.bytes && payload.is_response_ok();) {
    const Bytes part = std::min(transfer.bytes - done, kPiece);
    tlm::tlm_generic_payload piece;
    piece.set_command(payload.get_command());
    piece.set_address(payload.get_address() + static_cast<sc_dt::uint64>(done));
    piece.set_data_ptr(payload.get_data_ptr() + done);
    piece.set_data_length(static_cast<unsigned>(part));
    piece.set_streaming_width(static_cast<unsigned>(part));
    memory->b_transport(piece, delay);
    payload.set_response_status(piece.get_response_status());
    done += part;
  }
}

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
