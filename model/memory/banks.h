#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace weft::memory {

inline constexpr int kBankGroups = 4;
inline constexpr int kBanksPerGroup = 4;
inline constexpr int kBanks = kBankGroups * kBanksPerGroup;  // bank index = bank group * 4 + bank in the group
using BankSet = std::uint32_t;                               // one bit per bank
constexpr int group_of(int bank) {
  return static_cast<int>(static_cast<unsigned>(bank) / kBanksPerGroup);
}

// A 16-bit number for each bank, as two vectors of 128 bits, which every processor of today has.
namespace lanes {

template <typename T>
using Each = std::array<T, kBanks>;
using Half = std::int16_t __attribute__((vector_size(16)));
inline constexpr int kHalves = 2;
constexpr int kHalf = kBanks / kHalves;

template <typename T>
Half load(const Each<T>& each, int half) {
  static_assert(sizeof(T) == sizeof(std::int16_t));
  Half loaded;
  std::memcpy(&loaded, each.data() + half * kHalf, sizeof loaded);
  return loaded;
}
inline void store(Each<std::int16_t>& each, int half, Half from) {
  std::memcpy(each.data() + half * kHalf, &from, sizeof from);
}
inline Half all(std::int16_t number) {
  return Half{} + number;
}
inline Half max(Half a, Half b) {
  return a > b ? a : b;
}
inline Half min(Half a, Half b) {
  return a < b ? a : b;
}
// Returns the least of the 16 numbers.
inline std::int16_t least(const std::array<Half, kHalves>& halves) {
  Half least = min(halves[0], halves[1]);
  least = min(least, __builtin_shufflevector(least, least, 4, 5, 6, 7, 0, 1, 2, 3));
  least = min(least, __builtin_shufflevector(least, least, 2, 3, 0, 1, 6, 7, 4, 5));
  least = min(least, __builtin_shufflevector(least, least, 1, 0, 3, 2, 5, 4, 7, 6));
  return least[0];
}

}  // namespace lanes

}  // namespace weft::memory
