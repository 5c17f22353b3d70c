#include "model/fpgpt/execution/execution.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>
#include <utility>

#include "kernels/fp32.h"
#include "model/core/error.h"
#include "model/fpgpt/sizing.h"
#include "tests/support/hardware_order.h"
#include "tests/support/random_case.h"
#include "tests/support/special_values.h"

namespace weft {
namespace {

constexpr Bytes kRow = Bytes{1} << 17;  // bytes of a row of every address map
constexpr int kChannels = 3;

// A convolution on a card: a kernel, its memory, and the contents of the channels.
struct Launch {
  fpgpt::Alpha alpha;
  conv::Convolution beta;
  memory::MemoryConfig memory;
  std::vector<memory::Store> channels;
};

memory::MemoryConfig random_memory(test::Random& random, const fpgpt::Alpha& alpha, const test::Channels& channels) {
  memory::MemoryConfig memory = test::memory_of(alpha, channels);
  memory.kind = test::pick(random, 0, 3) ? memory::MemoryKind::ddr4 : memory::MemoryKind::ideal;
  memory.latency_cycles = test::pick(random, 0, 30);
  memory.ideal_latency_cycles = test::pick(random, 0, 9);
  memory.ddr4.map = static_cast<memory::AddressMap>(test::pick(random, 0, 2));
  memory.ddr4.auto_precharge_a3 = test::pick(random, 0, 1) != 0;
  return memory;
}

// Any layer and kind on any kernel: hls, rtl or a mix of them; ports that share channels in every way; bases anywhere.
// In fixed point, tensors begin with any word.
Launch random_launch(std::uint64_t seed, const test::Numbers& numbers = {}, std::int64_t most_products = 400000) {
  test::Random random(seed);
  conv::Layer layer;
  conv::Convolution c;
  auto kind = conv::Kind::F;
  int group = 0;
  do {
    layer = test::random_layer(random, true);
    kind = static_cast<conv::Kind>(test::pick(random, 0, 2));
    group = test::pick(random, 0, layer.groups - 1);
    c = workloads::lower(layer, kind, group);
  } while (c.a * c.n_inp * c.n_kern * c.out_map() * c.m() > most_products);
  fpgpt::Alpha alpha = test::random_alpha(random);
  const int profile = test::pick(random, 0, 2);
  if (profile < 2) alpha.profile = profile == 0 ? fpgpt::Profile::hls() : fpgpt::Profile::rtl();
  alpha.clock = test::pick(random, 0, 1) ? 100 : 300;
  alpha.format = numbers.format;
  alpha.packing = numbers.packing;
  alpha = fpgpt::fitted(alpha, c);
  const test::Channels channels{test::pick(random, 0, 2), test::pick(random, 0, 2), test::pick(random, 0, 2)};
  fpgpt::Firsts firsts{};
  for (Address& first : firsts) first = 4 * test::pick(random, 0, 1 << 20);
  test::DataCase data = test::make_case(layer, kind, group, alpha, seed, channels, firsts);
  for (memory::Store& store : data.memory.channels) {
    if (numbers.format.is_fixed()) break;  // any bits are valid words
    test::fill(store, random, static_cast<test::Values>(seed % test::kValues));
  }
  return {alpha, data.plan.beta, random_memory(random, alpha, channels), std::move(data.memory.channels)};
}

// Returns the launch with all tensors of a channel moved by a number of rows.
Launch moved(Launch launch, const std::array<int, kChannels>& rows) {
  const std::array<conv::TensorView*, fpgpt::kPorts> views{&launch.beta.inp, &launch.beta.kern, &launch.beta.out};
  for (std::size_t port = 0; port < fpgpt::kPorts; ++port) {
    views.at(port)->base += kRow * rows.at(static_cast<std::size_t>(launch.memory.port_channel[port]));
  }
  for (std::size_t i = 0; i < launch.channels.size(); ++i) {
    const memory::Store& from = launch.channels[i];
    memory::Store to(from.bytes(), from.first() + kRow * rows.at(i));
    std::copy_n(from.floats(from.first()), from.bytes() / 4, to.floats(to.first()));
    launch.channels[i] = std::move(to);
  }
  return launch;
}

fpgpt::ConvolutionResult execute(fpgpt::Execution& execution, Launch& launch) {
  return execution.execute(launch.alpha, launch.beta, launch.memory, launch.channels);
}

void expect_same_channels(const Launch& a, const Launch& b) {
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    SCOPED_TRACE(channel);
    test::expect_same_bits(test::contents(a.channels[channel]), test::contents(b.channels[channel]));
  }
}

// Compares every bit of every channel and every count, for a new time and for a remembered one: from equal addresses,
// and with each channel's tensors moved by rows.
TEST(Execution, FastEqualsDataInEveryBitOfEveryChannelAndEveryCycleOn500RandomConvolutions) {
  constexpr int kFirst = 1, kCount = 500;
  std::printf("seeds %d to %d\n", kFirst, kFirst + kCount - 1);
  fpgpt::Execution fast({false, 0, 2}), data({true, 0, 1});
  std::array<int, 3> kinds{};
  int shared = 0;
  for (std::uint64_t seed = kFirst; seed < kFirst + kCount; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Launch launch = random_launch(seed);
    ++kinds.at(static_cast<std::size_t>(launch.beta.kind));
    const std::vector<int>& channel = launch.memory.port_channel;
    shared += channel[0] == channel[1] || channel[0] == channel[2] || channel[1] == channel[2];
    Launch actual = launch, expected = launch;
    const std::int64_t simulated = fast.counts().simulated;
    const fpgpt::ConvolutionResult a = execute(fast, actual), b = execute(data, expected);
    test::expect_same(a, b);
    expect_same_channels(actual, expected);
    EXPECT_EQ(fast.counts().simulated, simulated + 1);

    test::Random random(seed);
    const auto rows = [&] { return test::pick(random, 0, 3) * test::pick(random, 0, 1000); };
    Launch elsewhere = moved(launch, {rows(), rows(), rows()}), there = elsewhere;
    const fpgpt::ConvolutionResult known = execute(fast, elsewhere);
    EXPECT_EQ(fast.counts().simulated, simulated + 1);
    test::expect_same(known, execute(data, there));
    expect_same_channels(elsewhere, there);
    if (testing::Test::HasFailure()) return;
  }
  for (const int count : kinds) EXPECT_GE(count, 100);
  EXPECT_GE(shared, 200);
  EXPECT_EQ(fast.counts().in_data, 0);
}

// Fixed point, with the number of overflows: 4 to 16 bits, packed and padded. fixed_point_test compares data execution
// with an int64 loop nest.
TEST(Execution, FastEqualsDataOfFixedPointInEveryBitCycleAndOverflowOn300RandomConvolutions) {
  fpgpt::Execution fast({false, 0, 2}), data({true, 0, 1}), checking({false, 100, 1});
  std::int64_t overflows = 0, exact = 0, later = 0, padded = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Launch launch = random_launch(seed, test::fixed_point_of(seed), 200000);
    later += launch.beta.inp.first > 0 && launch.beta.kern.first > 0;
    padded += launch.alpha.packing == Packing::Padded;
    Launch actual = launch, expected = launch, checked = launch;
    const fpgpt::ConvolutionResult a = execute(fast, actual), b = execute(data, expected);
    test::expect_same(a, b);
    EXPECT_EQ(a.overflows, b.overflows);
    expect_same_channels(actual, expected);
    ++(b.overflows > 0 ? overflows : exact);
    if (seed % 10 == 0) {
      EXPECT_EQ(execute(checking, checked).overflows, b.overflows);
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GE(overflows, 10);
  EXPECT_GE(exact, 200);
  EXPECT_GE(later, 200);
  EXPECT_GE(padded, 100);
  EXPECT_EQ(fast.counts().in_data, 0);
}

// Oracle of both executions, in integer arithmetic, on whole channels.
TEST(Execution, BothAreWhatIntegerArithmeticSays) {
  fpgpt::Execution fast({false, 0, 1}), data({true, 0, 1});
  for (std::uint64_t seed = 1001; seed <= 1060; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Launch launch = random_launch(seed);
    const auto channel = [&](fpgpt::Port port) {
      return static_cast<std::size_t>(launch.memory.port_channel[static_cast<std::size_t>(port)]);
    };
    conv::Convolution beta = launch.beta;  // bases in channels that begin at 0
    const auto whole = [&](fpgpt::Port port, conv::TensorView& view) {
      view.base -= launch.channels[channel(port)].first();
      return test::contents(launch.channels[channel(port)]);
    };
    const std::vector<float> inp = whole(fpgpt::Port::Inp, beta.inp), kern = whole(fpgpt::Port::Kern, beta.kern);
    std::vector<float> expected = whole(fpgpt::Port::Out, beta.out);
    test::hardware_order(beta, inp, kern, expected);
    for (fpgpt::Execution* execution : {&fast, &data}) {
      Launch run = launch;
      execute(*execution, run);
      test::expect_same_bits(test::contents(run.channels[channel(fpgpt::Port::Out)]), expected);
    }
  }
}

// A 1x1 convolution that saturates a channel: it reads many beats to discard them, and writes OUT meanwhile.
Launch in_one_channel() {
  const conv::Layer layer{"", 4, 4, 4, 1, {24}, {24}};
  fpgpt::Alpha alpha;
  alpha.x = alpha.y = 8;
  alpha.profile = fpgpt::Profile::hls();
  alpha.clock = 300;
  alpha = fpgpt::fitted(alpha, workloads::lower(layer, conv::Kind::F));
  Launch launch;
  launch.alpha = alpha;
  launch.beta = workloads::lower(layer, conv::Kind::F);
  launch.beta.kern.base = 2 * kRow;
  launch.beta.out.base = kRow / 2;
  launch.memory = test::memory_of(alpha, {0, 0, 0});
  for (int i = 0; i < kChannels; ++i) launch.channels.emplace_back(4 * kRow);
  return launch;
}

// OUT in the row of INP, and in the next one: equal bases modulo a row, other row conflicts, other cycles.
TEST(Execution, TheDistanceOfTensorsThatShareAChannelCountsInRows) {
  Launch same_row = in_one_channel(), next_row = same_row;
  next_row.beta.out.base += kRow;
  fpgpt::Execution data({true, 0, 1});
  Launch same_data = same_row, next_data = next_row;
  const Cycles same_cycles = execute(data, same_data).cycles, next_cycles = execute(data, next_data).cycles;
  ASSERT_NE(same_cycles, next_cycles);
  fpgpt::Execution fast({false, 0, 1});
  EXPECT_EQ(execute(fast, same_row).cycles, same_cycles);
  EXPECT_EQ(execute(fast, next_row).cycles, next_cycles);
  EXPECT_EQ(fast.counts().simulated, 2);
}

// The cycles depend on the offset of a channel's lowest base in its row, and on the port of that base.
TEST(Execution, TheLowestBaseOfAChannelCountsWithinItsRow) {
  const Launch launch = in_one_channel();
  fpgpt::Execution fast({false, 0, 1});
  Launch run = launch;
  execute(fast, run);
  for (conv::TensorView* view : {&run.beta.inp, &run.beta.kern, &run.beta.out}) view->base += kRow;
  execute(fast, run);
  EXPECT_EQ(fast.counts().simulated, 1);
  for (conv::TensorView* view : {&run.beta.inp, &run.beta.kern, &run.beta.out}) view->base += 64;
  execute(fast, run);
  EXPECT_EQ(fast.counts().simulated, 2);
}

// Changes one thing at a time between two launches: each time equals that of an execution without memory.
TEST(Execution, WhatIsRememberedIsNeverThatOfAnotherKernelMemoryOrConvolution) {
  const std::vector<std::function<void(Launch&)>> changes{
      [](Launch& l) { l.alpha.profile = fpgpt::Profile::rtl(); },
      [](Launch& l) { l.alpha.profile.exact_bursts = true; },
      [](Launch& l) { l.alpha.x = 4; },
      [](Launch& l) { l.alpha.y = 2; },
      [](Launch& l) { l.alpha.z = 32; },
      [](Launch& l) { l.alpha.fifo.fill(1); },
      [](Launch& l) { l.alpha.inp_port.outstanding = 1; },
      [](Launch& l) { l.alpha.kern_port.max_burst_beats = 1; },
      [](Launch& l) { l.alpha.out_port.max_burst_beats = 1; },
      [](Launch& l) { l.memory.latency_cycles = 40; },
      [](Launch& l) { l.memory.kind = memory::MemoryKind::ideal; },
      [](Launch& l) {
        l.memory.port_channel = {0, 1, 2};
      },
      [](Launch& l) { l.memory.kernel_clock = l.alpha.clock = 100; },
      [](Launch& l) { l.memory.ddr4.map = memory::AddressMap::rcb; },
      [](Launch& l) { l.memory.ddr4.auto_precharge_a3 = true; },
      [](Launch& l) { l.memory.ddr4.timing.cl_nck = 30; },
      [](Launch& l) { l.memory.ddr4.row_hit_limit = 1; },
      [](Launch& l) { l.memory.ddr4.data_rate_mtps = 1600; },
      [](Launch& l) { l.beta.n_inp = 2; },
      [](Launch& l) { l.beta.n_kern = 3; },
      [](Launch& l) { l.beta.c = 3; },
      [](Launch& l) { l.beta.h.out = 20; },
      [](Launch& l) {
        l.beta.w.inp = 22;
        l.beta.w.out = 22;
      },
      [](Launch& l) { l.beta.h.pad_begin = 3; },
      [](Launch& l) { l.beta.inp.pitch_n += 16; },
      [](Launch& l) { l.beta.inp.pitch_c += 16; },
      [](Launch& l) { l.beta.out.pitch_n += 5; },
      [](Launch& l) { l.beta.kern.base += 4096; },
  };
  const Launch launch = in_one_channel();
  fpgpt::Execution remembers({false, 0, 1});
  Launch run = launch;
  const fpgpt::ConvolutionResult unchanged = execute(remembers, run);
  int differ = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    SCOPED_TRACE("change " + std::to_string(i));
    Launch changed = launch;
    changes[i](changed);
    Launch alone = changed;
    fpgpt::Execution forgetful({false, 0, 1});
    const fpgpt::ConvolutionResult result = execute(remembers, changed);
    test::expect_same(result, execute(forgetful, alone));
    EXPECT_EQ(remembers.counts().simulated, static_cast<std::int64_t>(i) + 2);
    differ += result.cycles != unchanged.cycles;
  }
  EXPECT_GE(differ, 20);
}

TEST(Execution, WhatIsRememberedIsBoundedAndFoundAgain) {
  const Launch launch = in_one_channel();
  fpgpt::KnownTimes times(3);
  std::vector<Cycles> cycles;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5; ++i) {
      conv::Convolution beta = launch.beta;
      beta.n_inp = 1 + i % 4;
      cycles.push_back(times.of(launch.alpha, beta, launch.memory).result.cycles);
      EXPECT_LE(times.size(), 3U);
    }
  }
  EXPECT_EQ(cycles[0], cycles[4]);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(cycles[i], cycles[i + 5]);
}

// Launch k is checked where floor(k * N / 100) grows.
TEST(Execution, ChecksThePercentageOfLaunchesThatIsAskedFor) {
  const Launch launch = in_one_channel();
  for (const int percent : {0, 1, 30, 100}) {
    fpgpt::Execution fast({false, percent, 1});
    std::vector<std::int64_t> checked;
    Launch run = launch;
    run.beta.n_inp = run.beta.n_kern = run.beta.c = 1;
    for (int i = 0; i < 10; ++i) {
      execute(fast, run);
      checked.push_back(fast.counts().checked);
    }
    const std::vector<std::int64_t> thirty{0, 0, 0, 1, 1, 1, 2, 2, 2, 3};
    if (percent == 30) {
      EXPECT_EQ(checked, thirty);
    }
    EXPECT_EQ(checked.back(), 10 * percent / 100);
  }
}

// Both executions of a checked launch start from equal contents, and a checked launch has the result of any other.
TEST(Execution, ACheckedLaunchIsLikeAnyOther) {
  fpgpt::Execution all({false, 100, 2}), none({false, 0, 1});
  for (std::uint64_t seed = 2001; seed <= 2100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Launch checked = random_launch(seed), plain = checked;
    test::expect_same(execute(all, checked), execute(none, plain));
    expect_same_channels(checked, plain);
  }
  EXPECT_EQ(all.counts().checked, 100);
}

// A check names every count that differs, and words; nothing if none differs.
TEST(Execution, ACheckNamesWhatDiffers) {
  fpgpt::ConvolutionResult fast;
  EXPECT_EQ(fpgpt::difference(fast, fast), "");
  const auto expect = [&](std::int64_t& count, const std::string& what) {
    count = 1;
    EXPECT_EQ(fpgpt::difference(fast, {}), what + ": fast 1, data 0");
    count = 0;
  };
  expect(fast.cycles, "cycles");
  expect(fast.drain_cycles, "drain cycles");
  expect(fast.overflows, "overflows");
  expect(fast.activities.at(static_cast<std::size_t>(fpgpt::Block::InpIm2col)).cycles[1], "inp_im2col blocked");
  expect(fast.ports.at(2).row_conflicts, "out row_conflicts");
  fpgpt::ConvolutionResult skipped = fast;
  skipped.skipped_cycles = 7;  // not part of the result
  EXPECT_EQ(fpgpt::difference(fast, skipped), "");

  const std::vector<Word> data{{1}, {0}, {fp32::kQuietNan}};
  std::vector<Word> words = data;
  EXPECT_EQ(fpgpt::difference(words, data, 0x1000), "");
  words[2] = {fp32::kQuietNan | 1};
  EXPECT_EQ(fpgpt::difference(words, data, 0x1000), "address 0x1008: fast 7FC00001, data 7FC00000");
  words[1] = {bits(-0.0F)};
  EXPECT_EQ(fpgpt::difference(words, data, 0x1000), "address 0x1004: fast 80000000, data 00000000");
}

// OUT over INP, over KERN, and images of OUT over each other: the words read and the final words depend on the cycle.
TEST(Execution, WhereOutMeetsWhatIsReadTheHardwaresOrderDecides) {
  const std::vector<std::function<void(Launch&)>> overlaps{
      [](Launch& l) { l.beta.out.base = l.beta.inp.base + 4000; },
      [](Launch& l) { l.beta.out.base = l.beta.kern.base - 100; },
      [](Launch& l) { l.beta.out.pitch_n -= 30; },
  };
  for (std::size_t i = 0; i < overlaps.size(); ++i) {
    SCOPED_TRACE("overlap " + std::to_string(i));
    Launch launch = in_one_channel();
    overlaps[i](launch);
    test::Random random(i);
    for (memory::Store& store : launch.channels) test::fill(store, random, test::Values::Uniform);
    Launch expected = launch;
    fpgpt::Execution fast({false, 100, 1}), data({true, 0, 1});
    test::expect_same(execute(fast, launch), execute(data, expected));
    expect_same_channels(launch, expected);
    EXPECT_EQ(fast.counts().in_data, 1);
  }
}

TEST(Execution, WhatIsTooLargeToComputeDirectlyIsExecutedInData) {
  for (const Bytes most : {Bytes{1} << 20, Bytes{100}}) {
    Launch launch = in_one_channel(), expected = launch;
    fpgpt::Execution fast({false, 0, 1, most}), data({true, 0, 1});
    test::expect_same(execute(fast, launch), execute(data, expected));
    expect_same_channels(launch, expected);
    EXPECT_EQ(fast.counts().in_data, most < 1000 ? 1 : 0);
  }
}

// In either execution, to the last byte: the channels end at the end of a port's last beat, then one beat before it.
TEST(Execution, RefusesWhatLiesBeyondAChannelAndWritesNothing) {
  const Launch launch = in_one_channel();
  const fpgpt::Extents extents = fpgpt::extents(fpgpt::make_plan(launch.alpha, launch.beta, false));
  const std::array<Address, fpgpt::kPorts> bases{launch.beta.inp.base, launch.beta.kern.base, launch.beta.out.base};
  for (std::size_t port = 0; port < fpgpt::kPorts; ++port) {
    for (const bool in_data : {false, true}) {
      fpgpt::Execution execution({in_data, 0, 1});
      for (const Bytes less : {Bytes{0}, Bytes{64}}) {
        Launch cut = launch;
        cut.memory.port_channel = {0, 1, 2};
        cut.channels.at(port) = memory::Store(bases.at(port) + extents.at(port).end - less);
        const Launch before = cut;
        if (less == 0) {
          EXPECT_NO_THROW(execute(execution, cut));
          continue;
        }
        EXPECT_THROW(execute(execution, cut), Error);
        expect_same_channels(cut, before);
      }
    }
  }
}

}  // namespace
}  // namespace weft
