#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "model/core/divider.h"
#include "model/core/error.h"
#include "model/core/frequency.h"
#include "model/core/number_format.h"
#include "tests/support/texts.h"

namespace weft {
namespace {

constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

TEST(Checked, AddsUpToTheLastNumberAndNoFurther) {
  std::int64_t sum = kLast - 1;
  checked::add(sum, 1, "the apples");
  EXPECT_EQ(sum, kLast);
  EXPECT_EQ(test::message_of<checked::Overflow>([&] { checked::add(sum, 1, "the apples"); }),
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
  EXPECT_EQ(test::message_of<checked::Overflow>([] { duration(kLast / 1'000'000 + 1, 1); }),
            "the picoseconds of a kernel's cycles exceed 2^63 - 1, the most that can be counted: give smaller sizes or "
            "a smaller batch");
  EXPECT_EQ(cycles_within(kLast, 1), kLast / 1'000'000);
}

// 300.000001 MHz is 300000001 cycles in 10^6 us: a remainder of cycles times 10^12 ps overflows 64 bits.
TEST(Duration, IsExactForAClockOfManyDecimals) {
  const Frequency clock(300'000'001, 1'000'000);
  EXPECT_EQ(duration(300'000'000, clock), 999'999'996'667);
  EXPECT_EQ(duration(300'000'001, clock), 1'000'000'000'000);
  EXPECT_EQ(duration(300'000'002, clock), 1'000'000'003'334);
  EXPECT_EQ(cycles_within(999'999'996'667, clock), 300'000'000);
  EXPECT_EQ(cycles_within(999'999'999'999, clock), 300'000'000);
}

void expect_quotient(const Divider& divider, std::int64_t value) {
  EXPECT_EQ(divider.divide(value), value / divider.by()) << value << " / " << divider.by();
}

// Tests both sides of every multiple that is near 0, near the last exact product (2^63 / by), or at the end.
TEST(Divider, DividesOnBothSidesOfEveryMultiple) {
  for (std::int64_t by : {1, 2, 3, 5, 7, 12, 16, 24, 85, 641, 4096, 6700417, 1 << 26}) {
    const Divider divider(by);
    const std::int64_t far = kLast / by / by * by;
    for (std::int64_t multiple : {std::int64_t{0}, far, kLast / by * by}) {
      for (std::int64_t i = -20; i <= 20; ++i) {
        for (std::int64_t beside : {-1, 0, 1}) {
          const std::int64_t step = i * by + beside;
          if (multiple + std::min<std::int64_t>(step, 0) < 0 || step > kLast - multiple) continue;
          expect_quotient(divider, multiple + step);
        }
      }
    }
  }
}

TEST(Divider, DividesAnyValuesByAny) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto some = [&random] { return static_cast<std::int64_t>(random() >> (1 + random() % 63)); };
    expect_quotient(Divider(some() + 1), some());
  }
}

TEST(Divider, DividesWhatIsNegativeAsTheLanguageDoes) {
  const Divider divider(5);
  for (std::int64_t value = -20; value < 0; ++value) expect_quotient(divider, value);
  expect_quotient(divider, -kLast - 1);
}

TEST(NumberFormat, IsReadAsItIsPrintedAndNothingElseIs) {
  EXPECT_EQ(to_string(NumberFormat::fp32()), "fp32");
  EXPECT_EQ(to_string(NumberFormat::fixed(8)), "fxp8");
  for (int bits = 4; bits <= 16; ++bits) {
    EXPECT_EQ(parse_number_format(to_string(NumberFormat::fixed(bits))), NumberFormat::fixed(bits));
  }
  EXPECT_EQ(parse_number_format("fp32"), NumberFormat::fp32());
  for (const char* text : {"", "fxp", "fxp3", "fxp17", "fxp08", "fxp8 ", "FXP8", "fp16", "8", "fxp-8"}) {
    EXPECT_EQ(parse_number_format(text), std::nullopt) << text;
  }
  EXPECT_EQ(number_formats_text(), "fp32, or fxp4 to fxp16");
}

// The table of the contract, section 2: F, and the lanes of INP and KERN.
TEST(NumberFormat, FinalAddAndLanesAreThoseOfTheContract) {
  EXPECT_EQ(NumberFormat::fp32().final_add_cycles(), 8);
  EXPECT_EQ(NumberFormat::fixed(16).final_add_cycles(), 0);
  EXPECT_EQ(lane_bits(NumberFormat::fp32(), Packing::Packed), 32);
  EXPECT_EQ(lane_bits(NumberFormat::fp32(), Packing::Padded), 32);
  for (int bits = 4; bits <= 16; ++bits) {
    EXPECT_EQ(lane_bits(NumberFormat::fixed(bits), Packing::Packed), bits);
    const int padded = bits == 4 ? 4 : bits <= 8 ? 8 : 16;
    EXPECT_EQ(lane_bits(NumberFormat::fixed(bits), Packing::Padded), padded) << bits;
  }
}

std::vector<std::int64_t> three_of_four(int words) {
  std::vector<std::int64_t> list(4, 0);
  for (int i = 0; i < words; ++i) list[static_cast<std::size_t>(i)] = 4096;
  return list;
}

// Known fault of this compiler with the options of the build, GCC's PR 108599: in a test of this form, with -O3
// -march=native on a processor with AVX-512, GCC 12.2 stored 4096 as the fourth word too.
TEST(TheCompiler, KeepsTheLastWordOfAConstantThatIsZero) {
  EXPECT_EQ(three_of_four(3), (std::vector<std::int64_t>{4096, 4096, 4096, 0}));
  EXPECT_EQ((std::array<std::int64_t, 4>{7, 7, 7, 0})[3], 0);
}

}  // namespace
}  // namespace weft
