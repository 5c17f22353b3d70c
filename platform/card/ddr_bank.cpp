#include "platform/card/ddr_bank.h"

#include <cstring>

namespace weft::card {

DdrBank::DdrBank(const sc_core::sc_module_name& name, memory::Store& contents)
    : sc_module(name), socket("socket"), contents_(contents) {
  socket.bind(*this);
}

void DdrBank::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  transport_dbg(payload);
}

unsigned DdrBank::transport_dbg(tlm::tlm_generic_payload& payload) {
  const auto address = static_cast<Address>(payload.get_address());
  const std::size_t length = payload.get_data_length();
  if (address < 0 || address + static_cast<Bytes>(length) > contents_.bytes()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  if (payload.is_write()) {
    std::memcpy(contents_.at(address), payload.get_data_ptr(), length);
  } else {
    std::memcpy(payload.get_data_ptr(), contents_.at(address), length);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return payload.get_data_length();
}

}  // namespace weft::card
