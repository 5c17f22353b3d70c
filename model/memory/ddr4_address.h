#pragma once

#include <array>
#include <cstddef>

#include "model/core/units.h"
#include "model/memory/ddr4_device.h"

namespace weft::memory {

inline constexpr int kAccessBits = 6;
inline constexpr Bytes kAccessBytes = Bytes{1} << kAccessBits;  // one BL8 burst of 64 data bits

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

}  // namespace weft::memory
