#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/engine/intern.h"
#include "model/engine/request_trace.h"
#include "model/memory/ddr4_address.h"

namespace weft::engine {

// How the addresses of a trace lie in banks and rows, as a number, and how many rows after the row before it the last
// one lies.
struct MappingSignature {
  std::uint64_t number = 0;
  std::int64_t row_delta = 0;
};

// How addresses `first` to `last` lie, as a number: two such ranges of one base are alike if all between lies alike in
// the banks and its rows change alike, from `row` on. What stays in one row is told by the bits of a bank's address;
// otherwise all bits below the row tell it.
std::int64_t range_signature(memory::AddressMap map, Address first, Address last, std::int64_t row);

// The lies of traces in the channels of one address map.
class MappingSignatures {
 public:
  explicit MappingSignatures(memory::AddressMap map) : map_(map) {}

  MappingSignature find(std::int64_t row, const RequestTrace& trace, const Bases& bases);

  void evict();
  std::size_t memory() const;  // bytes that are remembered, about

 private:
  MappingSignature compute(const PlacedTrace& placed);

  static constexpr std::size_t kBlock = 7;

  memory::AddressMap map_;
  KeyMap<1 + kBlock> sequences_;  // by the number of the one up to the last so many bases, and how these lie
  KeyMap<3> signature_of_;        // by the trace, the spread of its bases, and where the first lies from the row on
  std::vector<MappingSignature> signatures_;
  std::vector<Address> addresses_;  // of the bases of the trace that is looked for
};

}  // namespace weft::engine
