#include "platform/card/interconnect.h"

#include <fmt/core.h>

#include <algorithm>

namespace weft::card {

Interconnect::Interconnect(const sc_core::sc_module_name& name, const design::AddressMap& memory)
    : sc_module(name), socket("socket"), memory_(memory) {
  socket.bind(*this);
  for (int i = 0; i < memory.banks(); ++i) {
    banks_.push_back(std::make_unique<CardInitiatorSocket>(fmt::format("bank{}", i).c_str()));
    banks_.back()->bind(*this);
  }
}

template <class Send>
void Interconnect::send(tlm::tlm_generic_payload& payload, Send send) {
  const auto begin = static_cast<Address>(payload.get_address());
  const auto length = static_cast<Bytes>(payload.get_data_length());
  if (!memory_.holds(begin, length)) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  for (Bytes done = 0; done < length && payload.is_response_ok();) {
    const design::AddressMap::Place at = *memory_.place(begin + done);
    const Bytes part = std::min(length - done, memory_.bytes_per_bank() - at.within);
    tlm::tlm_generic_payload piece;
    piece.set_command(payload.get_command());
    piece.set_address(static_cast<sc_dt::uint64>(at.within));
    piece.set_data_ptr(payload.get_data_ptr() + done);
    piece.set_data_length(static_cast<unsigned>(part));
    piece.set_streaming_width(static_cast<unsigned>(part));
    send(*banks_[static_cast<std::size_t>(at.bank)], piece);
    payload.set_response_status(piece.get_response_status());
    done += part;
  }
}

void Interconnect::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  send(payload, [&](CardInitiatorSocket& bank, tlm::tlm_generic_payload& piece) { bank->b_transport(piece, delay); });
}

unsigned Interconnect::transport_dbg(tlm::tlm_generic_payload& payload) {
  send(payload, [](CardInitiatorSocket& bank, tlm::tlm_generic_payload& piece) { bank->transport_dbg(piece); });
  return payload.is_response_ok() ? payload.get_data_length() : 0;
}

}  // namespace weft::card
