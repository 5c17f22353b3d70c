#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "model/conv/loop_nest.h"
#include "tests/support/random_case.h"
#include "tests/support/random_memory.h"
#include "tests/support/training_reference.h"

namespace weft {
namespace {

using fpgpt::Port;

constexpr std::int64_t kMostProducts = 60000;

// Returns the words of a channel by PCK-1, bit by bit, from its first beat on, without the model's code.
std::vector<std::int32_t> lanes_of(const memory::Store& store, int bus_bits, int word_bits, Packing packing) {
  int lane = word_bits;
  if (packing == Packing::Padded) lane = word_bits <= 4 ? 4 : word_bits <= 8 ? 8 : 16;
  std::vector<std::int32_t> words;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(store.at(store.first()));
  for (Bytes beat = 0; beat + bus_bits / 8 <= store.bytes(); beat += bus_bits / 8) {
    for (int first = 0; first + lane <= bus_bits; first += lane) {
      std::int32_t word = 0;
      for (int i = 0; i < word_bits; ++i) {
        const int bit = first + i;
        word |= (bytes[beat + bit / 8] >> bit % 8 & 1) << i;
      }
      words.push_back(word >= 1 << (word_bits - 1) ? word - (1 << word_bits) : word);
    }
  }
  return words;
}

std::vector<std::int32_t> whole_words(const memory::Store& store) {
  std::vector<std::int32_t> words(static_cast<std::size_t>(store.bytes() / 4));
  std::memcpy(words.data(), store.at(store.first()), words.size() * 4);
  return words;
}

// Sums in 64 bits, truncated to 32 at the end. `left`: number of sums that overflowed 32 bits by the contract: sums of
// an output and an a, and those of the results of a = 0, 1, ... so far.
struct CutSum {
  inline static std::int64_t left = 0;

  std::int64_t all = 0, of_a = 0;
  std::int32_t so_far = 0;
  bool first = true;

  static bool fits(std::int64_t sum) { return sum == static_cast<std::int32_t>(sum); }
  void add(std::int32_t inp, std::int32_t kern) {
    const std::int64_t product = std::int64_t{inp} * kern;
    all += product;
    of_a += product;
  }
  void end_of_a() {
    if (!fits(of_a)) ++left;
    const std::int64_t sum = std::int64_t{so_far} + static_cast<std::int32_t>(of_a);
    if (!first && !fits(sum)) ++left;
    so_far = static_cast<std::int32_t>(sum);
    of_a = 0;
    first = false;
  }
  std::int32_t value() const { return static_cast<std::int32_t>(all); }
};

// Returns OUT's channel after the convolution of a case.
std::vector<std::int32_t> expected_out(const test::DataCase& data) {
  const fpgpt::Alpha& alpha = data.plan.alpha;
  conv::Convolution c = data.plan.beta;
  const auto from_channel = [&](Port port, conv::TensorView& view) {
    const memory::Store& store = data.memory.channels[static_cast<std::size_t>(port)];
    const int lane = port == Port::Out || alpha.packing == Packing::Packed ? alpha.format.bits
                     : alpha.format.bits <= 4                              ? 4
                     : alpha.format.bits <= 8                              ? 8
                                                                           : 16;
    const Address offset = view.base - store.first();
    view.first += port == Port::Out ? offset / 4 : offset / alpha.beat_bytes(port) * (alpha.bits_of(port) / lane);
    view.base = 0;
    return store;
  };
  const memory::Store inp_store = from_channel(Port::Inp, c.inp), kern_store = from_channel(Port::Kern, c.kern);
  std::vector<std::int32_t> out = whole_words(from_channel(Port::Out, c.out));
  const auto inp = lanes_of(inp_store, alpha.bits_of(Port::Inp), alpha.format.bits, alpha.packing);
  const auto kern = lanes_of(kern_store, alpha.bits_of(Port::Kern), alpha.format.bits, alpha.packing);
  const auto span = [](const std::vector<std::int32_t>& words) {
    return conv::WordSpan<const std::int32_t>{words.data(), static_cast<Words>(words.size())};
  };
  CutSum::left = 0;
  conv::run_loop_nest<CutSum, std::int32_t>(c, span(inp), span(kern), {out.data(), static_cast<Words>(out.size())});
  return out;
}

struct Seen {
  std::array<int, 3> kinds{};
  int padded = 0, starting_later = 0, overflowing = 0, exact = 0;
};

void expect_bit_exact(int bits, std::uint64_t first, std::uint64_t cases, Seen& seen) {
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("fxp" + std::to_string(bits) + " seed " + std::to_string(seed));
    const test::Numbers numbers{NumberFormat::fixed(bits), seed % 3 == 0 ? Packing::Padded : Packing::Packed};
    test::DataCase data = test::random_case(seed, kMostProducts, {0, 1, 2}, numbers);
    ++seen.kinds.at(static_cast<std::size_t>(data.plan.beta.kind));
    seen.padded += numbers.packing == Packing::Padded;
    seen.starting_later += data.plan.beta.inp.first > 0 && data.plan.beta.kern.first > 0;
    const std::vector<std::int32_t> expected = expected_out(data);
    const std::int64_t left = CutSum::left;
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 20), seed), same = memory;
    const fpgpt::ConvolutionResult result = fpgpt::exact::run_clocked(data.plan, memory, &data.memory);
    const std::vector<std::int32_t> actual = whole_words(data.memory.channels[2]);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_EQ(actual[i], expected[i]) << "word " << i;
    ASSERT_EQ(result.overflows, left);
    ++(left > 0 ? seen.overflowing : seen.exact);
    if (seed % 8 != 0) continue;
    fpgpt::Plan timing = data.plan;
    timing.with_data = false;
    ASSERT_EQ(fpgpt::exact::run_clocked(timing, same, nullptr).cycles, result.cycles);
  }
}

// NUM-5 to NUM-8, PCK-1, PCK-2: every word of OUT's channel, any lane, any first word, any bits outside the lanes.
TEST(FixedPoint, OutEqualsAnInt64LoopNestCutTo32BitsAndSoDoTheOverflows) {
  for (const int bits : {8, 12, 14, 16}) {
    Seen seen;
    expect_bit_exact(bits, 1000 * static_cast<std::uint64_t>(bits), 400, seen);
    for (const int count : seen.kinds) EXPECT_GE(count, 100) << bits;
    EXPECT_GE(seen.padded, 100);
    EXPECT_GE(seen.starting_later, 200);
    EXPECT_GE(seen.exact, bits == 16 ? 10 : 300);
    EXPECT_GE(seen.overflowing, bits == 16 ? 100 : 0) << bits;
  }
}

TEST(FixedPoint, OutEqualsTheLoopNestAtEveryWidthFrom4To16) {
  Seen seen;
  for (const int bits : {4, 5, 6, 7, 9, 10, 11, 13, 15}) {
    expect_bit_exact(bits, 1000 * static_cast<std::uint64_t>(bits), 40, seen);
  }
}

// All groups of a layer, forward, compared with oneDNN. Weights have 7 bits: oneDNN may sum two products in 16 bits
// where the machine has no better instruction.
TEST(FixedPoint, ForwardAt8BitsEqualsOneDnnsS8ToS32) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const conv::Layer layer = test::random_layer(random);
    const workloads::TensorWords words = workloads::tensor_words(layer, conv::Kind::F);
    const std::int64_t products = words.out * (layer.channels / layer.groups) * layer.h.kernel * layer.w.kernel;
    if (products > 400000) continue;
    fpgpt::Alpha alpha = test::random_alpha(random);
    alpha.format = NumberFormat::fixed(8);
    alpha = fpgpt::fitted(alpha, workloads::lower_groups(layer, conv::Kind::F));
    test::DataCase data = test::make_case(layer, conv::Kind::F, 0, alpha, seed);
    const auto draw = [&](Port port, Words count, int least, int most) {
      std::vector<std::int8_t> all(static_cast<std::size_t>(count));
      for (std::int8_t& each : all) each = static_cast<std::int8_t>(test::pick(random, least, most));
      std::memcpy(data.memory.of(port).at(0), all.data(), all.size());  // at 8 bits words are bytes
      return all;
    };
    const std::vector<std::int8_t> ifm = draw(Port::Inp, words.inp, -128, 127);
    const std::vector<std::int8_t> weights = draw(Port::Kern, words.kern, -64, 63);
    for (int group = 0; group < layer.groups; ++group) {
      const fpgpt::Plan plan = test::make_case(layer, conv::Kind::F, group, alpha, seed).plan;
      test::RandomMemory memory(0, 9, seed);
      EXPECT_EQ(fpgpt::exact::run_clocked(plan, memory, &data.memory).overflows, 0);
    }
    std::vector<std::int32_t> actual = whole_words(data.memory.of(Port::Out));
    actual.resize(static_cast<std::size_t>(words.out));
    EXPECT_EQ(actual, test::forward_s8(layer, ifm, weights));
  }
}

}  // namespace
}  // namespace weft
