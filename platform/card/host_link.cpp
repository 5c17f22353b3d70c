#include "platform/card/host_link.h"

#include <fmt/core.h>

#include <stdexcept>

#include "model/core/error.h"

namespace weft::card {

HostLink::HostLink(const sc_core::sc_module_name& name, CardClock& clock, const design::AddressMap& memory)
    : sc_module(name), socket("socket"), control("control"), clock_(clock), memory_(memory) {
  socket.bind(*this);
  control.bind(*this);
}

void HostLink::require_within(Address card_address, Bytes bytes) const {
  if (memory_.holds(card_address, bytes)) return;
  throw Error(fmt::format(
      "a transfer of {} bytes at address {:#x} of the card does not lie within its memory, {:#x} to {:#x}", bytes,
      static_cast<std::uint64_t>(card_address), memory_.address(0), memory_.address(memory_.banks()) - 1));
}

void HostLink::write(Address card_address, const void* data, Bytes bytes, Address host_address,
                     const link::CallCost& cost, bool copied) {
  // A payload's data pointer is not const; a write does not change the data.
  transfer(tlm::TLM_WRITE_COMMAND, card_address, const_cast<void*>(data), bytes, host_address, cost, copied);
}

void HostLink::read(Address card_address, void* data, Bytes bytes, Address host_address, const link::CallCost& cost,
                    bool copied) {
  transfer(tlm::TLM_READ_COMMAND, card_address, data, bytes, host_address, cost, copied);
}

bool HostLink::goes_on(link::Direction direction, Address card_address) const {
  return last_.goes_on && last_.direction == direction && last_.card_address + last_.bytes == card_address;
}

void HostLink::transfer(tlm::tlm_command command, Address card_address, void* data, Bytes bytes, Address host_address,
                        const link::CallCost& cost, bool copied) {
  require_within(card_address, bytes);
  const auto direction = command == tlm::TLM_WRITE_COMMAND ? link::Direction::HostToCard : link::Direction::CardToHost;
  if (!goes_on(direction, card_address)) {
    settle();
    last_ = {};
    last_.direction = direction;
    last_.card_address = card_address;
    last_.host_address = host_address;
    last_.cost = cost;
    last_.copied = copied;
    last_.start = clock_.now();
  }
  move(data, bytes, bytes != kMessage);
  last_.goes_on = last_.unsettled = bytes == kMessage;
}

void HostLink::settle() {
  if (last_.unsettled) move(nullptr, 0, true);
  last_.unsettled = false;
}

void HostLink::end_call() {
  settle();
  last_.goes_on = false;
}

// Moves the next bytes of the call.
void HostLink::move(void* data, Bytes bytes, bool timed) {
  TransferExtension extension;
  extension.bytes = bytes;
  extension.bytes_before = last_.bytes;
  extension.host_address = last_.host_address;
  extension.cost = last_.cost;
  extension.copied = last_.copied;
  extension.timed = timed;
  tlm::tlm_generic_payload payload;
  payload.set_command(last_.direction == link::Direction::HostToCard ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  const Address at = last_.card_address + last_.bytes;
  payload.set_address(static_cast<sc_dt::uint64>(at));
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  const Attached attached(payload, extension);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  if (!payload.is_response_ok()) throw std::logic_error("the card refused an address within its memory");
  last_.bytes += bytes;
  if (!timed) return;
  clock_.advance_to(last_.start + extension.duration);
  last_.end = clock_.now();
  last_.bound = extension.bound;
}

std::uint32_t HostLink::read_register(Address address) {
  std::uint32_t data = 0;
  RegisterExtension nothing;
  access(tlm::TLM_READ_COMMAND, address, data, nothing);
  return data;
}

void HostLink::write_register(Address address, std::uint32_t data, RegisterExtension& start) {
  access(tlm::TLM_WRITE_COMMAND, address, data, start);
}

void HostLink::access(tlm::tlm_command command, Address address, std::uint32_t& data, RegisterExtension& access) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(static_cast<sc_dt::uint64>(address));
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
  payload.set_data_length(sizeof data);
  payload.set_streaming_width(sizeof data);
  const Attached attached(payload, access);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  control->b_transport(payload, delay);
  if (!payload.is_response_ok()) {
    throw Error(fmt::format("an access to register {:#x}, but no kernel is loaded into the card", address));
  }
}

}  // namespace weft::card
