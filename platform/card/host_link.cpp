#include "platform/card/host_link.h"

#include <fmt/core.h>

#include <stdexcept>

#include "model/core/error.h"

namespace weft::card {

HostLink::HostLink(const sc_core::sc_module_name& name, CardClock& clock, Bytes card_bytes)
    : sc_module(name), socket("socket"), clock_(clock), card_bytes_(card_bytes) {
  socket.bind(*this);
}

void HostLink::write(Address card_address, const void* data, Bytes bytes, Address host_address,
                     const link::CallCost& cost, bool copied) {
  // A payload has no constant data; a write leaves them alone.
  transfer(tlm::TLM_WRITE_COMMAND, card_address, const_cast<void*>(data), bytes, host_address, cost, copied);
}

void HostLink::read(Address card_address, void* data, Bytes bytes, Address host_address, const link::CallCost& cost,
                    bool copied) {
  transfer(tlm::TLM_READ_COMMAND, card_address, data, bytes, host_address, cost, copied);
}

void HostLink::transfer(tlm::tlm_command command, Address card_address, void* data, Bytes bytes, Address host_address,
                        const link::CallCost& cost, bool copied) {
  if (card_address < 0 || bytes < 0 || card_address > card_bytes_ || bytes > card_bytes_ - card_address) {
    throw Error(
        fmt::format("a transfer of {} bytes at address {} of the card does not lie within its {} bytes of memory",
                    bytes, card_address, card_bytes_));
  }
  TransferExtension extension;
  extension.bytes = bytes;
  extension.host_address = host_address;
  extension.cost = cost;
  extension.copied = copied;
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(static_cast<sc_dt::uint64>(card_address));
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_extension(&extension);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  payload.clear_extension<TransferExtension>();
  if (!payload.is_response_ok()) throw std::logic_error("the card refused an address within its memory");
  clock_.advance(extension.duration);
}

}  // namespace weft::card
