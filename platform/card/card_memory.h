#pragma once

#include <cstddef>
#include <systemc>

#include "platform/card/transfer_extension.h"

namespace weft::card {

// Zeros that take room only where they were written.
class SparseBytes {
 public:
  explicit SparseBytes(Bytes bytes);  // throws Error if there is no address space left
  ~SparseBytes();
  SparseBytes(const SparseBytes&) = delete;
  SparseBytes& operator=(const SparseBytes&) = delete;

  std::byte* at(Address address) { return bytes_ + address; }
  Bytes size() const { return size_; }

 private:
  std::byte* bytes_ = nullptr;
  Bytes size_;
};

// What one DDR bank of the card holds. Its timing is that of the link: see require_memory_keeps_up().
class CardMemory : public sc_core::sc_module, private BlockingTarget {
 public:
  CardMemory(const sc_core::sc_module_name& name, Bytes bytes);
  CardTargetSocket socket;
  SparseBytes& contents() { return contents_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  SparseBytes contents_;
};

}  // namespace weft::card
