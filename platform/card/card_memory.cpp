#include "platform/card/card_memory.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "model/core/error.h"

namespace weft::card {

SparseBytes::SparseBytes(Bytes bytes) : size_(bytes) {
  void* const mapped = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw Error(fmt::format("cannot map {} bytes for the card's memory: {}", bytes, std::strerror(errno)));
  }
  bytes_ = static_cast<std::byte*>(mapped);
}

SparseBytes::~SparseBytes() {
  munmap(bytes_, static_cast<std::size_t>(size_));
}

CardMemory::CardMemory(const sc_core::sc_module_name& name, Bytes bytes)
    : sc_module(name), socket("socket"), contents_(bytes) {
  socket.bind(*this);
}

void CardMemory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  transport_dbg(payload);
}

unsigned CardMemory::transport_dbg(tlm::tlm_generic_payload& payload) {
  const auto address = static_cast<Address>(payload.get_address());
  const std::size_t length = payload.get_data_length();
  if (address < 0 || address + static_cast<Bytes>(length) > contents_.size()) {
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
