#include "platform/card/compute_unit.h"

namespace weft::card {

ComputeUnit::ComputeUnit(const sc_core::sc_module_name& name, std::vector<memory::Store>& banks)
    : sc_module(name), socket("socket"), banks_(banks) {
  socket.bind(*this);
}

void ComputeUnit::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.get_extension<RegisterExtension>()->launch = kernel_->launch(banks_);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace weft::card
