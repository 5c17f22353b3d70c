#include "model/engine/mapping_signature.h"

namespace weft::engine {

MappingSignature MappingSignatures::find(std::int64_t row, const RequestTrace& trace, const Bases& bases) {
  if (trace.bases.size() < 2) {
    addresses_.assign(trace.bases.size(), bases.first);
    return compute({0, trace, addresses_, row});
  }
  const Key<3> key{trace.number, bases.spread, static_cast<std::uint64_t>(bases.first - (row << memory::kRowBit))};
  const std::uint32_t known = signature_of_.find(key);
  if (known != KeyMap<3>::kNone) return signatures_[known];
  addresses_.clear();
  bases.fill(trace, addresses_);
  signature_of_.number(key, static_cast<std::uint32_t>(signatures_.size()));
  signatures_.push_back(compute({0, trace, addresses_, row}));
  return signatures_.back();
}

std::int64_t range_signature(memory::AddressMap map, Address first, Address last, std::int64_t row) {
  constexpr Address kInRow = (Address{1} << memory::kRowBit) - 1;
  const std::int64_t first_row = first >> memory::kRowBit;
  const bool one_row = first_row == last >> memory::kRowBit && map != memory::AddressMap::rbc;
  const Address within = first & (one_row ? memory::bank_mask(map) : kInRow);
  return ((first_row - row) * (kInRow + 1) + within) * 2 + (one_row ? 1 : 0);
}

// Combines the signatures of the bytes touched of each base, each relative to the row of the base before.
MappingSignature MappingSignatures::compute(const PlacedTrace& placed) {
  Key<1 + kBlock> key;
  std::uint32_t signature = 0;
  std::int64_t value = 0;
  std::int64_t row = placed.row;
  for (std::size_t i = 0; i < placed.bases.size(); ++i) {
    const RequestTrace::Extent& extent = placed.trace.extents[i];
    const Address first = placed.bases[i] + extent.first;
    value = range_signature(map_, first, placed.bases[i] + extent.last, row);
    row = first >> memory::kRowBit;
    const std::size_t of_block = i % kBlock + 1;
    key.set(of_block, static_cast<std::uint64_t>(value));
    if (of_block < kBlock && i + 1 < placed.bases.size()) continue;
    key.set(0, two(signature, static_cast<std::uint32_t>(of_block)));
    if (placed.bases.size() > 1) signature = sequences_.number(key, static_cast<std::uint32_t>(sequences_.size()) + 1);
    key = Key<1 + kBlock>();
  }
  const std::int32_t last = placed.trace.last_base;
  const std::int64_t rows =
      last < 0
          ? 0
          : ((placed.bases[static_cast<std::size_t>(last)] + placed.trace.last_offset) >> memory::kRowBit) - placed.row;
  if (placed.bases.size() == 1) return {static_cast<std::uint64_t>(value) * 2, rows};
  return {std::uint64_t{signature} * 2 + 1, rows};
}

void MappingSignatures::evict() {
  signature_of_ = {};
  signatures_ = std::vector<MappingSignature>();
}

std::size_t MappingSignatures::memory() const {
  return memory_of(sequences_) + memory_of(signature_of_) + signatures_.capacity() * sizeof(MappingSignature);
}

}  // namespace weft::engine
