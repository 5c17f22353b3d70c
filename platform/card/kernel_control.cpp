#include "platform/card/kernel_control.h"

#include <cstring>

namespace weft::card {

namespace {

constexpr unsigned kWord = kControlBits / 8;

unsigned strobes_of(const tlm::tlm_generic_payload& payload) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const unsigned length = payload.get_byte_enable_length();
  if (!enables || length == 0) return (1U << kWord) - 1;
  unsigned strobes = 0;
  for (unsigned byte = 0; byte < kWord; ++byte) {
    if (enables[byte % length] != TLM_BYTE_DISABLED) strobes |= 1U << byte;
  }
  return strobes;
}

}  // namespace

KernelControl::KernelControl(const sc_core::sc_module_name& name, const CardClock& clock)
    : sc_module(name), socket("socket"), unit("unit"), clock_(clock) {
  socket.bind(*this);
  unit.bind(*this);
}

void KernelControl::load(design::CardKernel* kernel) {
  kernel_ = kernel;
  started_ = -1;
  busy_until_ = 0;
}

Cycles KernelControl::since_start() const {
  return started_ < 0 ? kNever : cycles_within(clock_.now() - started_, kernel_->clock());
}

void KernelControl::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!kernel_) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.get_data_length() != kWord) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);  // AXI4-Lite: OKAY, whatever the address
  const auto address = static_cast<Address>(payload.get_address());
  std::uint32_t data = 0;
  if (payload.is_read()) {
    data = kernel_->read(address, since_start());
    std::memcpy(payload.get_data_ptr(), &data, kWord);
    return;
  }
  std::memcpy(&data, payload.get_data_ptr(), kWord);
  if (kernel_->write(address, data, strobes_of(payload), since_start())) start(payload, delay);
}

void KernelControl::start(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  unit->b_transport(payload, delay);
  const RegisterExtension& access = *payload.get_extension<RegisterExtension>();
  started_ = clock_.now() + access.before_start;
  busy_until_ =
      checked::sum("the picoseconds of a card run", {started_, duration(access.launch->busy, kernel_->clock())});
}

ComputeUnit::ComputeUnit(const sc_core::sc_module_name& name, std::vector<memory::Store>& banks)
    : sc_module(name), socket("socket"), banks_(banks) {
  socket.bind(*this);
}

void ComputeUnit::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.get_extension<RegisterExtension>()->launch = kernel_->launch(banks_);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace weft::card
