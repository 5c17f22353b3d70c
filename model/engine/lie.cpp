#include "model/engine/lie.h"

namespace weft::engine {

Lie Lies::find(std::int64_t row, const Tape& tape, const Bases& bases) {
  if (tape.bases.size() < 2) {
    addresses_.assign(tape.bases.size(), bases.first);
    return of({0, tape, addresses_, row});
  }
  const Key<3> key{tape.number, bases.spread, static_cast<std::uint64_t>(bases.first - (row << memory::kRowBit))};
  const std::uint32_t known = lie_of_.find(key);
  if (known != KeyMap<3>::kNone) return lies_[known];
  addresses_.clear();
  bases.fill(tape, addresses_);
  lie_of_.number(key, static_cast<std::uint32_t>(lies_.size()));
  lies_.push_back(of({0, tape, addresses_, row}));
  return lies_.back();
}

std::int64_t lie_of_range(memory::AddressMap map, Address first, Address last, std::int64_t row) {
  constexpr Address kInRow = (Address{1} << memory::kRowBit) - 1;
  const std::int64_t first_row = first >> memory::kRowBit;
  const bool one_row = first_row == last >> memory::kRowBit && map != memory::AddressMap::rbc;
  const Address within = first & (one_row ? memory::bank_mask(map) : kInRow);
  return ((first_row - row) * (kInRow + 1) + within) * 2 + (one_row ? 1 : 0);
}

// Two places of a tape are alike if what it touches of each base lies alike.
Lie Lies::of(const LaidTape& place) {
  Key<1 + kBlock> key;
  std::uint32_t lie = 0;
  std::int64_t value = 0;
  std::int64_t row = place.row;
  for (std::size_t i = 0; i < place.bases.size(); ++i) {
    const Tape::Extent& extent = place.tape.extents[i];
    const Address first = place.bases[i] + extent.first;
    value = lie_of_range(map_, first, place.bases[i] + extent.last, row);
    row = first >> memory::kRowBit;
    const std::size_t of_block = i % kBlock + 1;
    key.set(of_block, static_cast<std::uint64_t>(value));
    if (of_block < kBlock && i + 1 < place.bases.size()) continue;
    key.set(0, two(lie, static_cast<std::uint32_t>(of_block)));
    if (place.bases.size() > 1) lie = sequences_.number(key, static_cast<std::uint32_t>(sequences_.size()) + 1);
    key = Key<1 + kBlock>();
  }
  const std::int32_t last = place.tape.last_base;
  const std::int64_t rows =
      last < 0
          ? 0
          : ((place.bases[static_cast<std::size_t>(last)] + place.tape.last_offset) >> memory::kRowBit) - place.row;
  if (place.bases.size() == 1) return {static_cast<std::uint64_t>(value) * 2, rows};
  return {std::uint64_t{lie} * 2 + 1, rows};
}

void Lies::forget() {
  lie_of_ = {};
  lies_ = std::vector<Lie>();
}

std::size_t Lies::memory() const {
  return memory_of(sequences_) + memory_of(lie_of_) + lies_.capacity() * sizeof(Lie);
}

}  // namespace weft::engine
