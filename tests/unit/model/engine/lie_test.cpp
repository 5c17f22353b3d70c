#include "model/engine/lie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace weft::engine {
namespace {

using memory::AddressMap;

// What a lie is made of: of each base whether its bytes stay in one row, the rows from that of the base before, and the
// bits of its first byte that decide bank and row.
using Described = std::vector<std::int64_t>;
Described described(AddressMap map, const LaidTape& place) {
  constexpr Address kRow = Address{1} << memory::kRowBit;
  Described all;
  std::int64_t before = place.row;
  for (std::size_t i = 0; i < place.bases.size(); ++i) {
    const Address first = place.bases[i] + place.tape.extents[i].first;
    const Address last = place.bases[i] + place.tape.extents[i].last;
    const bool one_row = first / kRow == last / kRow;
    const Address within = one_row && map != AddressMap::rbc ? first & memory::bank_mask(map) : first % kRow;
    all.insert(all.end(), {one_row ? 1 : 0, first / kRow - before, within});
    before = first / kRow;
  }
  return all;
}

TEST(Lies, OfAnyNumberOfBasesAreTheSameExactlyWhereBanksAndChangesOfRowsAre) {
  std::mt19937_64 random(3);
  for (const AddressMap map : {AddressMap::rcb, AddressMap::intlv, AddressMap::rbc}) {
    for (std::size_t bases = 1; bases <= 23; ++bases) {
      Lies lies(map);
      Tape tape;
      tape.number = static_cast<std::uint32_t>(bases);
      tape.bases.resize(bases);
      for (std::size_t i = 0; i < bases; ++i) tape.extents.push_back({0, static_cast<std::int64_t>(random() % 512)});
      tape.last_base = static_cast<std::int32_t>(bases) - 1;
      std::map<Described, std::uint64_t> number_of;
      std::map<std::uint64_t, Described> of_number;
      for (int i = 0; i < 400; ++i) {
        // Mostly only one base is elsewhere than in the other places.
        std::vector<Address> addresses(bases, Address{5} << memory::kRowBit);
        for (int moved = 1 + static_cast<int>(random() % 2); moved > 0; --moved) {
          addresses[random() % bases] += static_cast<Address>(random() % 4) * 256 +
                                         static_cast<Address>(random() % 2) * (Address{1} << memory::kRowBit);
        }
        const auto row = static_cast<std::int64_t>(random() % 2);
        std::uint64_t spread = 1;  // a number of its own for all that is not the first
        for (const Address address : addresses)
          spread = mix(spread, static_cast<std::uint64_t>(address - addresses[0]));
        const Lie lie = lies.find(row, tape, {addresses[0], spread, [&](const Tape&, auto& all) { all = addresses; }});
        EXPECT_EQ(lie.rows, (addresses.back() >> memory::kRowBit) - row);
        const Described what = described(map, {0, tape, addresses, row});
        EXPECT_EQ(number_of.emplace(what, lie.number).first->second, lie.number) << bases << " bases";
        EXPECT_EQ(of_number.emplace(lie.number, what).first->second, what) << bases << " bases";
      }
      EXPECT_GT(number_of.size(), 5U);
    }
  }
}

}  // namespace
}  // namespace weft::engine
