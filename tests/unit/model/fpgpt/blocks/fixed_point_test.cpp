#include <gtest/gtest.h>

#include <array>
#include <random>
#include <tuple>

#include "model/fpgpt/array.h"
#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/exact/exact.h"
#include "model/fpgpt/out_constructor.h"
#include "model/fpgpt/placement.h"
#include "model/fpgpt/registers.h"
#include "model/stream/ddr_reader.h"
#include "model/stream/lanes.h"
#include "tests/support/block_bench.h"
#include "tests/support/random_memory.h"

namespace weft::fpgpt {
namespace {

using test::array_example;
using test::ArrayBench;
using test::consecutive;

constexpr std::int32_t kLeast = -2147483647 - 1;

Alpha kernel_of(int bits, Packing packing = Packing::Packed) {
  Alpha alpha;
  alpha.format = NumberFormat::fixed(bits);
  alpha.packing = packing;
  return alpha;
}

Word word(std::int32_t value) {
  return {static_cast<std::uint32_t>(value)};
}
std::int32_t value(Word word) {
  return static_cast<std::int32_t>(word.bits);
}

// --- Lanes and BAND ---

// floor(512 / L): packed L is the width, padded 4, 8 or 16.
TEST(FixedPoint, BandIsWhatFitsABeatAndOutHasWordsOf32Bits) {
  const std::array<std::array<int, 3>, 6> expected{
      {{4, 128, 128}, {8, 64, 64}, {10, 51, 32}, {12, 42, 32}, {14, 36, 32}, {16, 32, 32}}};
  for (const auto& [bits, packed, padded] : expected) {
    EXPECT_EQ(kernel_of(bits).band(Port::Inp), packed) << bits;
    EXPECT_EQ(kernel_of(bits).band(Port::Kern), packed) << bits;
    EXPECT_EQ(kernel_of(bits).band(Port::Out), 16) << bits;
    EXPECT_EQ(kernel_of(bits, Packing::Padded).band(Port::Inp), padded) << bits;
  }
  EXPECT_EQ(Alpha().band(Port::Inp), 16);
}

// The example of PCK-1: word 4090 of fxp12. 0xABC is -1348.
TEST(FixedPoint, Pck1WordsLieInTheirLanesAndTheBitsAboveThemDoNotMatter) {
  std::array<unsigned char, 128 * 64> memory{};
  auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
  const stream::Lanes packed = kernel_of(12).lanes(Port::Inp);
  packed.put(bytes, 4090, word(-1348));  // beat 97, bits 192 to 203
  EXPECT_EQ(memory[97 * 64 + 24], 0xBC);
  EXPECT_EQ(memory[97 * 64 + 25], 0x0A);
  EXPECT_EQ(value(packed.get(bytes, 4090)), -1348);
  memory[97 * 64 + 25] |= 0xF0;  // lane 17
  EXPECT_EQ(value(packed.get(bytes, 4090)), -1348);
  EXPECT_EQ(value(packed.get(bytes, 4091)), 0xF);

  const stream::Lanes padded = kernel_of(12, Packing::Padded).lanes(Port::Kern);
  padded.put(bytes, 4090, word(-1348));  // beat 127, lane 26, bits 416 to 427; 428 to 431 are zero
  EXPECT_EQ(memory[127 * 64 + 52], 0xBC);
  EXPECT_EQ(memory[127 * 64 + 53], 0x0A);
  memory[127 * 64 + 53] = 0x5A;
  EXPECT_EQ(value(padded.get(bytes, 4090)), -1348);
}

// A beat of 64 bits: 8 words of 8, 5 of 12 and 4 of 14 bits packed, 4 of 12 and 14 padded. Lane l holds l - 3.
TEST(FixedPoint, Pck1BeatsAreTakenApartLaneByLane) {
  struct Case {
    int bits;
    Packing packing;
    std::array<unsigned char, 8> beat;
    int band;
  };
  // -3, -2, -1 are 111..101, 111..110, 111..111; the lowest lane is in the lowest bits, byte 0 first.
  const std::array<Case, 4> cases{
      {{8, Packing::Packed, {0xFD, 0xFE, 0xFF, 0, 1, 2, 3, 4}, 8},
       // 12 bits: FFD FFE FFF 000 001: nibbles D F F E F F F F F 0 0 0 1 0 0, and the last nibble is unused
       {12, Packing::Packed, {0xFD, 0xEF, 0xFF, 0xFF, 0x0F, 0x00, 0x01, 0xA0}, 5},
       // 14 bits: 3FFD | 3FFE << 14 | 3FFF << 28 | 0 << 42 = 3FF'FFFF'FFFF - 2 - 2^14
       {14, Packing::Packed, {0xFD, 0xBF, 0xFF, 0xFF, 0xFF, 0x03, 0x00, 0xFF}, 4},
       {14, Packing::Padded, {0xFD, 0xBF, 0xFE, 0x3F, 0xFF, 0x7F, 0x00, 0xC0}, 4}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.bits);
    Alpha alpha = kernel_of(c.bits, c.packing);
    alpha.bus_bits = 64;
    const stream::Lanes lanes = alpha.lanes(Port::Inp);
    ASSERT_EQ(lanes.band, c.band);
    std::array<Word, 8> words{};
    lanes.load(reinterpret_cast<const std::byte*>(c.beat.data()), 1, words.data());
    for (int lane = 0; lane < c.band; ++lane) {
      EXPECT_EQ(value(words.at(static_cast<std::size_t>(lane))), lane - 3) << lane;
    }
  }
}

// 4 KB of 512-bit beats hold 64*42 = 2688 words of 12 bits: a range from the last of them on ends with its beat.
// PCK-1: a host's 16-bit words to memory and back, compared with lanes one at a time; any width, bus, first word and
// number. The bits after the last word of its beat are zero, and later beats are unchanged.
TEST(FixedPoint, Pck1TensorsArePackedAndUnpackedAsTheirLanesAre) {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int i = 0; i < 2000; ++i) {
    fpgpt::Alpha alpha;
    alpha.bus_bits = 32 << pick(0, 5);
    alpha.format = NumberFormat::fixed(pick(4, 16));
    alpha.packing = pick(0, 1) ? Packing::Packed : Packing::Padded;
    const stream::Lanes lanes = alpha.lanes(fpgpt::Port::Inp);
    std::vector<std::int16_t> words(static_cast<std::size_t>(pick(1, 3 * lanes.band)));
    const auto count = static_cast<Words>(words.size());
    const Bytes bytes = stream::packed_bytes(lanes, count);
    std::vector<std::byte> memory(static_cast<std::size_t>(bytes + lanes.beat_bytes), std::byte{0xA5}), wanted = memory;
    std::fill_n(wanted.begin(), bytes, std::byte{0});
    for (std::size_t k = 0; k < words.size(); ++k) {
      const int half = 1 << (alpha.format.bits - 1);
      words[k] = static_cast<std::int16_t>(pick(-half, half - 1));
      lanes.put(wanted.data(), static_cast<Words>(k), {static_cast<std::uint32_t>(words[k])});
    }
    stream::pack(lanes, words.data(), count, memory.data());
    ASSERT_EQ(memory, wanted) << i;
    const int first = pick(0, static_cast<int>(count) - 1), some = pick(1, static_cast<int>(count) - first);
    std::vector<std::int16_t> back(static_cast<std::size_t>(some));
    stream::unpack(lanes, memory.data(), first, some, back.data());
    ASSERT_EQ(back, std::vector<std::int16_t>(words.begin() + first, words.begin() + first + some)) << i;
  }
}

TEST(FixedPoint, Rd2APageHolds64TimesBandWords) {
  stream::RangeLoop loop;
  loop.base = 2687;
  loop.words = 2;
  loop.band = kernel_of(12).band(Port::Inp);
  stream::ReadPort port;
  stream::DdrReader reader(loop, {}, 64);
  Fifo out{4, 42, false};
  reader.step(0, loop, port, out);
  EXPECT_EQ(port.request.address, 4032);
  EXPECT_EQ(port.request.beats, 1);
  reader.step(1, loop, port, out);
  EXPECT_EQ(port.request.address, 4096);
  EXPECT_EQ(port.request.beats, 1);
}

// PCK-2: two beats and five words; OUT counts words of 32 bits, as FP32 does.
TEST(FixedPoint, Pck2TheFirstWordIsThatOfTheBaseAndFirstMore) {
  const conv::TensorView view{128, 0, 0, 0, 5};
  EXPECT_EQ(kernel_of(12).first_word(Port::Inp, view), 2 * 42 + 5);
  EXPECT_EQ(kernel_of(12, Packing::Padded).first_word(Port::Kern, view), 2 * 32 + 5);
  EXPECT_EQ(kernel_of(12).first_word(Port::Out, view), 32 + 5);
  EXPECT_EQ(Alpha().first_word(Port::Inp, view), 32 + 5);
}

TEST(FixedPoint, Pck2RegistersHoldFirstWordsOfInpAndKernApartFromTheirBases) {
  conv::Convolution c;
  c.inp.first = c.kern.first = c.out.first = 7;
  const conv::Convolution fixed = as_registers_hold(c, NumberFormat::fixed(8));
  EXPECT_EQ(std::tuple(fixed.inp.base, fixed.inp.first, fixed.kern.first, fixed.out.base), std::tuple(0, 7, 7, 28));
  EXPECT_EQ(fixed.out.first, 0);
  const conv::Convolution fp32 = as_registers_hold(c, NumberFormat::fp32());
  for (const conv::TensorView& view : {fp32.inp, fp32.kern, fp32.out}) {
    EXPECT_EQ(view.base, 28);
    EXPECT_EQ(view.first, 0);
  }
}

// LCH-1: 30 registers and CTRL; 32 and CTRL.
TEST(FixedPoint, Lch1AHostWrites33Registers) {
  EXPECT_EQ(register_writes(NumberFormat::fp32()), 31);
  EXPECT_EQ(register_writes(NumberFormat::fixed(8)), 33);
  conv::Convolution c = test::contract_example();
  c.inp.first = 70000;
  c.kern.first = 3;
  const BetaWords words = encode(c, NumberFormat::fixed(12));
  ASSERT_EQ(words.size(), 32U);
  EXPECT_EQ(words[30], 70000U);
  EXPECT_EQ(words[31], 3U);
  EXPECT_EQ(encode(c, NumberFormat::fp32()).size(), 30U);
}

// --- The array ---

Alpha two_by_two(const Profile& profile) {
  Alpha alpha = kernel_of(8);
  alpha.x = alpha.y = 2;
  alpha.profile = profile;
  return alpha;
}

TEST(FixedPoint, Arr3Arr4ExampleOfTheContract) {
  ArrayBench bench(test::plan_of(two_by_two(Profile::hls()), array_example()));
  ASSERT_EQ(bench.plan.spacing, 9);
  bench.supply(27, 29);
  bench.run(0, 32);
  EXPECT_EQ(bench.given, (std::vector<Cycles>{9, 10, 18, 19, 27, 28}));  // s*9 + 9 + y
  EXPECT_EQ(bench.activity[28], Activity::Active);                       // 9*3 + 2 + 0 = 29 array cycles
  EXPECT_EQ(bench.activity[29], Activity::Idle);
}

// Two images: 5*9 + 9 + 0 + 2 = 56 array cycles.
TEST(FixedPoint, Arr4OverlapStartsTheNextGroupWithoutAGap) {
  Profile profile;
  profile.overlap_drain = true;
  conv::Convolution c = array_example();
  c.n_inp = 2;
  ArrayBench bench(test::plan_of(two_by_two(profile), c));
  bench.supply(54, 54);
  bench.run(0, 60);
  EXPECT_EQ(bench.given[6], 3 * 9 + 9);
  EXPECT_EQ(bench.given.back(), 55);
  EXPECT_EQ(bench.activity[55], Activity::Active);
  EXPECT_EQ(bench.activity[56], Activity::Idle);
}

// M = 1: rows, not the final adder, set the distance of sets: P = max(1, 2, 0). Set s gives its rows in 2s + 1 and 2s +
// 2.
TEST(FixedPoint, Arr1SetsStartYApartWhereTheyHaveFewerProducts) {
  conv::Convolution c = array_example();
  c.h = {1, 1, 1, 1, 0, 1, 1};
  c.w = {6, 1, 6, 1, 0, 1, 1};
  c.inp = {0, 6, 6, 6};
  ArrayBench bench(test::plan_of(two_by_two(Profile::hls()), c));
  ASSERT_EQ(bench.plan.spacing, 2);
  bench.supply(3, 8);
  bench.run(0, 10);
  EXPECT_EQ(bench.given, consecutive(1, 6));
  EXPECT_EQ(bench.activity[7], Activity::Active);  // 2*3 + 2 = 8 array cycles
  EXPECT_EQ(bench.activity[8], Activity::Idle);
}

// The row of set 0 is due in array cycle 9. Without room in out_row array cycle 8 still runs; 9 does not until a slot
// is freed, and runs in the cycle after that.
TEST(FixedPoint, Arr3Arr5ARowIsBlockedOnlyFromTheCycleInWhichItIsDue) {
  ArrayBench bench(test::plan_of(two_by_two(Profile::hls()), array_example()));
  bench.out = Fifo(1, 2, false);
  bench.out.push(-2);
  bench.supply(27, 29);
  bench.run(0, 12);
  EXPECT_EQ(bench.activity[8], Activity::Active);
  EXPECT_EQ(bench.activity[9], Activity::Blocked);
  bench.out.pop(11);
  bench.run(12, 14);
  EXPECT_EQ(bench.activity[11], Activity::Blocked);  // freed in 11
  EXPECT_EQ(bench.activity[12], Activity::Active);
  EXPECT_EQ(bench.given, (std::vector<Cycles>{12}));
}

// One element, M = P = 1: the cycle that gives the result of a set adds the product of the next set to a new sum.
TEST(FixedPoint, Arr3AResultIsReadAsTheNextSumBegins) {
  const conv::Convolution c = test::one_row({4, 1, 4, 1, 0, 1, 1});
  for (const bool overlap : {false, true}) {
    Alpha alpha = kernel_of(8);
    alpha.x = alpha.y = 1;
    alpha.profile.overlap_drain = overlap;
    const Plan plan = test::plan_of(alpha, c, true);
    ASSERT_EQ(plan.spacing, 1);
    Array array(plan);
    Fifo inp(8, 1, true), kern(8, 1, true), out(8, 1, true);
    for (const std::int32_t each : {3, -4, 127, -128}) {
      *inp.push(-2) = word(each);
      *kern.push(-2) = word(-128);
    }
    *kern.push(-2) = word(0);  // without overlap a group has P*S + Y rows
    for (Cycles now = 0; now < 5; ++now) array.step(now, plan, inp, kern, out);
    for (const std::int32_t expected : {-384, 512, -16256, 16384}) {
      EXPECT_EQ(value(*out.front()), expected);
      out.pop(10);
    }
    EXPECT_EQ(array.overflows(), 0);
  }
}

// NUM-6: -32768 * -32768 = 2^30. Two of them are 2^31, read as -2^31; four of them 2^32, read as 0; both overflowed 32
// bits. One product, and 2^30 + 2^30 - 1 * 1, do not.
TEST(FixedPoint, Num6SumsWrapAt32BitsAndAreCounted) {
  struct Case {
    std::vector<std::array<std::int32_t, 2>> products;
    std::int32_t sum;
    std::int64_t overflows;
  };
  const std::array<std::int32_t, 2> most{-32768, -32768};
  const std::array<Case, 5> cases{{{{most}, 1 << 30, 0},
                                   {{most, most}, kLeast, 1},
                                   {{most, most, most, most}, 0, 1},
                                   {{most, most, {-1, 1}}, 2147483647, 0},  // an intermediate sum overflowed
                                   {{{-32768, 32767}, {-32768, 32767}}, -2147418112, 0}}};
  for (const Case& each : cases) {
    const auto count = static_cast<int>(each.products.size());
    SCOPED_TRACE(count);
    const conv::Convolution c = test::one_row({count, count, 1, 1, 0, 1, 1});
    Alpha alpha = kernel_of(16);
    alpha.x = alpha.y = 1;
    alpha.profile.overlap_drain = true;
    const Plan plan = test::plan_of(alpha, c, true);
    Array array(plan);
    Fifo inp(8, 1, true), kern(8, 1, true), out(2, 1, true);
    for (const auto& [left, right] : each.products) {
      *inp.push(-2) = word(left);
      *kern.push(-2) = word(right);
    }
    for (Cycles now = 0; now < 8; ++now) array.step(now, plan, inp, kern, out);
    ASSERT_EQ(out.pushed(), 1);
    EXPECT_EQ(value(*out.front()), each.sum);
    EXPECT_EQ(array.overflows(), each.overflows);
  }
}

// NUM-7: 2^31 - 1, then + 1: -2^31, an overflow of 32 bits; then - 1: 2^31 - 1 again, another overflow.
TEST(FixedPoint, Num7GwAddsOverAModulo2To32) {
  conv::Convolution c;
  c.kind = conv::Kind::GW;
  c.a = 3;
  c.out = {0, 0, 1, 1};
  Alpha alpha = kernel_of(16);
  alpha.x = alpha.y = 1;
  const Plan plan = test::plan_of(alpha, c, true);
  OutConstructorGw constructor(plan);
  Fifo in(4, 1, true), out(4, 1, true);
  for (const std::int32_t each : {2147483647, 1, -1}) *in.push(-2) = word(each);
  for (Cycles now = 0; now < 5; ++now) constructor.step(now, plan, in, out);
  ASSERT_EQ(out.pushed(), 1);
  EXPECT_EQ(value(*out.front()), 2147483647);
  EXPECT_EQ(constructor.overflows(), 2);
}

// --- Whole convolutions ---

// Section 12 and its PE-cycles: starved in 0..7, nine products in four PEs, one array cycle of Y + F, idle in 18..22:
// 32 + 36 + 4 + 20 = 4*23.
TEST(FixedPoint, Gen6WholeConvolutionOfTheContractTakes23Cycles) {
  for (const int bits : {4, 8, 12, 14, 16}) {
    for (const Packing packing : {Packing::Packed, Packing::Padded}) {
      SCOPED_TRACE(bits);
      Alpha alpha = test::example_alpha(Profile::rtl());
      alpha.format = NumberFormat::fixed(bits);
      alpha.packing = packing;
      const Plan plan = test::plan_of(alpha, test::contract_example());
      test::RandomMemory memory(0, 0, 1);
      const ConvolutionResult result = exact::run_clocked(plan, memory, nullptr);
      EXPECT_EQ(result.cycles, 23);
      const auto of = [&](PeClass each) { return result.pe_cycles[static_cast<std::size_t>(each)]; };
      EXPECT_EQ(of(PeClass::StarvedInpColumn), 32);
      EXPECT_EQ(std::tuple(of(PeClass::Useful), of(PeClass::FillDrain), of(PeClass::Idle)), std::tuple(36, 4, 20));
      memory::MemoryConfig config;
      config.kind = memory::MemoryKind::ideal;
      config.kernel_clock = plan.alpha.clock;
      config.port_channel = {0, 1, 2};
      config.channels = 3;
      config.ideal_latency_cycles = 0;
      EXPECT_EQ(exact::run_exact(plan, config, {}).convolution.cycles, 23);
    }
  }
}

// Section 16's example in fixed point: P = 2, two rounds of 2*2 + 2 + 0 = 6 array cycles, 48 PE-cycles: 2 of each round
// beyond its sets, no gaps.
TEST(FixedPoint, Pe4Pe5RoundsHaveNoFinalAddAndSetsNoGaps) {
  const conv::Convolution c = test::one_row({2, 2, 3, 1, 1, 1, 1}, 3);
  const Plan plan = test::plan_of(two_by_two(Profile::hls()), c);
  ASSERT_EQ(plan.spacing, 2);
  Activities advanced;
  advanced.add(Activity::Active, 12);
  const PeCycles cycles = pe_cycles(plan, advanced, {});
  const auto of = [&](PeClass each) { return cycles[static_cast<std::size_t>(each)]; };
  EXPECT_EQ(std::tuple(of(PeClass::FillDrain), of(PeClass::Gaps), of(PeClass::UnusedColumns)), std::tuple(16, 0, 8));
  EXPECT_EQ(std::tuple(of(PeClass::UnusedRows), of(PeClass::Zeros), of(PeClass::Useful)), std::tuple(6, 6, 12));
}

}  // namespace
}  // namespace weft::fpgpt
