#pragma once

#include <array>
#include <cstddef>

#include "model/core/units.h"
#include "model/memory/ddr4_device.h"

namespace weft::memory {

inline constexpr int kAccessBits = 6;
inline constexpr Bytes kAccessBytes = Bytes{1} << kAccessBits;  // one BL8 burst of 64 data bits

// Returns the address at which the access after that of `address` begins.
constexpr Address next_access(Address address) {
  return (address | (kAccessBytes - 1)) + 1;
}

// Bits of a byte address that select row, column, bank and bank group. The row is always at bits 33:17.
//   rcb    MIG ROW_COLUMN_BANK:        row | column 16:10 | bank 9:8  | group 7:6
//   intlv  MIG ROW_COLUMN_BANK_INTLV:  row | column 16:11 | bank 10:9 | column A3 8 | group 7:6 (the Alveo shells)
//   rbc    row | bank 16:15 | group 14:13 | column 12:6
enum class AddressMap { rcb, intlv, rbc };

// Mask of the bits of a byte address below the row that determine its bank, its A3, and its position in a 64-byte
// access. Two addresses that agree in them and in the row behave alike, and so do the bursts that start there: a burst
// stays within 4 KB, and no bit of the mask takes a carry from bits outside it.
constexpr Address bank_mask(AddressMap map) {
  return map == AddressMap::rbc ? 0x1E07F : 0x7FF;
}
inline constexpr int kRowBit = 17;
// Bank place of a 64-byte access as a small number: the bits of bank_mask() in its address.
inline constexpr int kPlaces = 32;
constexpr int place_of(AddressMap map, Address address) {
  const auto bits = static_cast<int>(address & bank_mask(map)) >> kAccessBits;
  return (bits | bits >> kAccessBits) & (kPlaces - 1);  // the upper bits of rbc move down
}

struct DramAddress {
  int row;
  int bank;        // index over all bank groups, see kBanks
  bool column_a3;  // bit 3 of the column address, the lowest that selects a BL8 burst
};

constexpr DramAddress decode(AddressMap map, Address address) {
  struct Layout {
    int group_bit, bank_bit, a3_bit;
  };
  constexpr Layout kLayouts[] = {{6, 8, 10}, {6, 9, 8}, {13, 15, 6}};
  const Layout& layout = kLayouts[static_cast<int>(map)];
  const int group = static_cast<int>(address >> layout.group_bit) & (kBankGroups - 1);
  const int bank = static_cast<int>(address >> layout.bank_bit) & (kBanksPerGroup - 1);
  return {static_cast<int>(address >> kRowBit), group * kBanksPerGroup + bank, ((address >> layout.a3_bit) & 1) != 0};
}

// Banks of bursts within 4 KB of up to Most accesses, by place and number of accesses.
template <int Most>
class BanksOfBursts {
 public:
  constexpr explicit BanksOfBursts(AddressMap map) {
    for (Address access = 0; access < Address{1} << (kRowBit - kAccessBits); ++access) {
      Address address = access << kAccessBits;
      auto& of_place = banks_[static_cast<std::size_t>(place_of(map, address))];
      if (of_place[1] != 0) continue;  // the first access of a place is followed by at least Most in its 4 KB
      BankSet banks = 0;
      for (std::size_t i = 1; i < of_place.size(); ++i) {
        banks |= 1U << decode(map, address).bank;
        of_place[i] = static_cast<std::uint16_t>(banks);
        address += kAccessBytes;
      }
    }
  }
  constexpr BankSet from(int place, int accesses) const {
    return banks_[static_cast<std::size_t>(place)][static_cast<std::size_t>(accesses)];
  }

 private:
  std::array<std::array<std::uint16_t, Most + 1>, kPlaces> banks_{};
};

}  // namespace weft::memory
