#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "model/core/error.h"
#include "model/core/frequency.h"

namespace weft {
namespace {

constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

template <class F>
std::string overflow_of(F f) {
  try {
    f();
  } catch (const checked::Overflow& overflow) {
    return overflow.what();
  }
  return "";
}

TEST(Checked, AddsUpToTheLastNumberAndNoFurther) {
  std::int64_t sum = kLast - 1;
  checked::add(sum, 1, "the apples");
  EXPECT_EQ(sum, kLast);
  EXPECT_EQ(overflow_of([&] { checked::add(sum, 1, "the apples"); }),
            "the apples exceed 2^63 - 1, the most that can be counted: give smaller sizes or a smaller batch");
  EXPECT_EQ(checked::sum("the apples", {kLast - 3, 1, 2}), kLast);
  EXPECT_THROW(checked::sum("the apples", {kLast - 3, 1, 3}), checked::Overflow);
}

TEST(Checked, MultipliesUpToTheLastNumberAndNoFurther) {
  EXPECT_EQ(checked::product("the apples", {7, 7, 73, 127, 337, 92737, 649657}), kLast);  // 2^63 - 1 in primes
  EXPECT_EQ(checked::product("the apples", {std::int64_t{1} << 31, (std::int64_t{1} << 31) - 1, 2}),
            9'223'372'032'559'808'512);
  EXPECT_THROW(checked::product("the apples", {std::int64_t{1} << 31, std::int64_t{1} << 31, 2}), checked::Overflow);
}

TEST(Checked, RoundsUpToWhatCanBeCounted) {
  EXPECT_EQ(checked::rounded_up("the apples", 1.25), 2);
  EXPECT_EQ(checked::rounded_up("the apples", 0x1.fffffffffffffp62), kLast - 1023);
  EXPECT_THROW(checked::rounded_up("the apples", 0x1p63), checked::Overflow);
  EXPECT_THROW(checked::rounded_up("the apples", std::numeric_limits<double>::infinity()), checked::Overflow);
  EXPECT_THROW(checked::rounded_up("the apples", std::numeric_limits<double>::quiet_NaN()), checked::Overflow);
}

// A cycle of 1 MHz is 10^6 ps.
TEST(Duration, IsExactUpToTheLastPicosecondAndNoFurther) {
  EXPECT_EQ(duration(kLast / 1'000'000, 1), kLast / 1'000'000 * 1'000'000);
  EXPECT_EQ(overflow_of([] { duration(kLast / 1'000'000 + 1, 1); }),
            "the picoseconds of a kernel's cycles exceed 2^63 - 1, the most that can be counted: give smaller sizes or "
            "a smaller batch");
  EXPECT_EQ(cycles_within(kLast, 1), kLast / 1'000'000);
}

// 300.000001 MHz is 300000001 cycles in 10^6 us: a rest of cycles times 10^12 ps leaves 64 bits.
TEST(Duration, IsExactForAClockOfManyDecimals) {
  const Frequency clock(300'000'001, 1'000'000);
  EXPECT_EQ(duration(300'000'000, clock), 999'999'996'667);
  EXPECT_EQ(duration(300'000'001, clock), 1'000'000'000'000);
  EXPECT_EQ(duration(300'000'002, clock), 1'000'000'003'334);
  EXPECT_EQ(cycles_within(999'999'996'667, clock), 300'000'000);
  EXPECT_EQ(cycles_within(999'999'999'999, clock), 300'000'000);
}

}  // namespace
}  // namespace weft
