#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/intern.h"
#include "model/engine/request_trace.h"
#include "model/memory/ddr4_address.h"

namespace weft::engine {

// Bank/row signature of a request trace. Traces with equal signatures meet the same bank conflicts: every request falls
// into the same bank, and rows differ by the same constant. `row_delta`: from the last row before the trace to its last
// row.
struct MappingSignature {
  std::uint64_t number = 0;
  std::int64_t row_delta = 0;
};

// Returns the signature of the addresses `first` to `last`, relative to `row`. Equal signatures: equal offsets have
// equal banks and equal row changes. If all lie in one row the bank bits decide it, otherwise all bits below the row.
std::int64_t range_signature(memory::AddressMap map, Address first, Address last, std::int64_t row);

// Signatures of traces, for one address map.
class MappingSignatures {
 public:
  explicit MappingSignatures(memory::AddressMap map) : map_(map) {}

  MappingSignature find(std::int64_t row, const RequestTrace& trace, const Bases& bases);

  void evict();
  std::size_t memory() const;  // approximate bytes

 private:
  MappingSignature compute(const PlacedTrace& placed);

  static constexpr std::size_t kBlock = 7;

  memory::AddressMap map_;
  KeyMap<1 + kBlock> sequences_;  // key: number of the sequence without its last block, number of bases in this block,
                                  // their signatures
  KeyMap<3> signature_of_;        // key: trace, spread of its bases, first base relative to the row
  std::vector<MappingSignature> signatures_;
  std::vector<Address> addresses_;  // buffer: bases of the current trace
};

}  // namespace weft::engine
