#include "model/memory/ddr4_address.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace weft::memory {
namespace {

constexpr Address bit(int n) {
  return Address{1} << n;
}

void expect_fields(AddressMap map, int group_bit, int bank_bit, int a3_bit) {
  for (int n = 6; n < 34; ++n) {
    const DramAddress where = decode(map, bit(n));
    EXPECT_EQ(where.row, n >= 17 ? 1 << (n - 17) : 0) << "bit " << n;
    const int group = n == group_bit ? 1 : n == group_bit + 1 ? 2 : 0;
    const int bank = n == bank_bit ? 1 : n == bank_bit + 1 ? 2 : 0;
    EXPECT_EQ(where.bank, group * kBanksPerGroup + bank) << "bit " << n;
    EXPECT_EQ(where.column_a3, n == a3_bit) << "bit " << n;
  }
}

TEST(Ddr4Address, RcbIsRowColumnBankGroup) {
  expect_fields(AddressMap::rcb, 6, 8, 10);
}
TEST(Ddr4Address, IntlvPutsColumnBitA3BelowTheBank) {
  expect_fields(AddressMap::intlv, 6, 9, 8);
}
TEST(Ddr4Address, RbcIsRowBankGroupColumn) {
  expect_fields(AddressMap::rbc, 13, 15, 6);
}

TEST(Ddr4Address, SequentialLinesVisitAllBankGroupsFirst) {
  for (const AddressMap map : {AddressMap::rcb, AddressMap::intlv}) {
    for (int line = 0; line < 4; ++line) EXPECT_EQ(decode(map, line * kAccessBytes).bank, line * kBanksPerGroup);
  }
}

TEST(Ddr4Address, BurstsFromPlacesThatAreEqualLieInTheSameBanks) {
  constexpr int kMost = 12;
  for (const AddressMap map : {AddressMap::rcb, AddressMap::intlv, AddressMap::rbc}) {
    const BanksOfBursts<kMost> banks_of(map);
    std::vector<std::optional<bool>> a3(kPlaces);
    for (Address address = 3 << kRowBit; address < 4 << kRowBit; address += kAccessBytes) {
      const int place = place_of(map, address);
      ASSERT_TRUE(place >= 0 && place < kPlaces) << address;
      const DramAddress first = decode(map, address);
      EXPECT_EQ(a3[place].value_or(first.column_a3), first.column_a3) << address;
      a3[place] = first.column_a3;
      BankSet banks = 0;
      for (int reads = 1; reads <= kMost && address % 4096 + reads * kAccessBytes <= 4096; ++reads) {
        banks |= 1U << decode(map, address + (reads - 1) * kAccessBytes).bank;
        ASSERT_EQ(banks_of.from(place, reads), banks) << reads << " reads from " << address;
      }
    }
  }
}

}  // namespace
}  // namespace weft::memory
