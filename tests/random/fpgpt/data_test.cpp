#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "model/fpgpt/sizing.h"
#include "tests/support/hardware_order.h"
#include "tests/support/random_case.h"
#include "tests/support/random_memory.h"
#include "tests/support/training_reference.h"

namespace weft {
namespace {

constexpr std::uint64_t kCases = 400;

TEST(FpgptData, OutEqualsTheHardwareSummationOrderBitForBitAndNothingElseIsWritten) {
  std::array<int, 3> kinds{};
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed);
    ++kinds.at(static_cast<std::size_t>(data.plan.beta.kind));
    std::vector<float> expected = test::contents(data.memory.channels[2]);
    test::hardware_order(data.plan.beta, test::contents(data.memory.channels[0]),
                         test::contents(data.memory.channels[1]), expected);
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 20), seed);
    fpgpt::exact::run_clocked(data.plan, memory, &data.memory);
    ASSERT_NO_FATAL_FAILURE(test::expect_same_bits(test::contents(data.memory.channels[2]), expected));
  }
  for (const int count : kinds) EXPECT_GE(count, 100);  // every kind was drawn often
}

TEST(FpgptData, TimingModeTakesTheSameCyclesAndStallsAsDataMode) {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed);
    fpgpt::Plan timing = data.plan;
    timing.with_data = false;
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 20), seed);
    const fpgpt::ConvolutionResult a = fpgpt::exact::run_clocked(data.plan, memory, &data.memory);
    const fpgpt::ConvolutionResult b = fpgpt::exact::run_clocked(timing, memory, nullptr);
    ASSERT_EQ(a.cycles, b.cycles);
    ASSERT_EQ(a.activities, b.activities);
    ASSERT_EQ(a.limiter, b.limiter);
  }
}

TEST(FpgptData, Gen5StallsOfEveryBlockSumToTheCyclesOfTheConvolution) {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed);
    data.plan.with_data = false;
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 20), seed);
    const fpgpt::ConvolutionResult result = fpgpt::exact::run_clocked(data.plan, memory, nullptr);
    for (const Activities& block : result.activities) ASSERT_EQ(block.total(), result.cycles);
  }
}

// Steps a kernel and checks every FIFO after every cycle.
TEST(FpgptData, Gen2Gen4AtMostOnePushAndPopACycleAndUnusedLanesAreZero) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed, 50000);
    const fp32::PeArithmetic arithmetic;
    fpgpt::Kernel kernel(std::make_shared<const fpgpt::Plan>(data.plan));
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 10), seed);
    std::array<std::int64_t, fpgpt::kFifos> pushed{}, popped{};
    fpgpt::BlockActivities activities{};
    for (Cycles now = 0; !kernel.done(); ++now) {
      ASSERT_LT(now, 1000000);
      fpgpt::exact::step(kernel, memory, now, &data.memory, activities);
      for (std::size_t i = 0; i < fpgpt::kFifos; ++i) {
        const Fifo& fifo = kernel.fifos[static_cast<fpgpt::FifoId>(i)];
        ASSERT_LE(fifo.pushed() - pushed[i], 1);
        ASSERT_LE(fifo.popped() - popped[i], 1);
        ASSERT_LE(fifo.pushed() - fifo.popped(), fifo.depth());
        pushed[i] = fifo.pushed();
        popped[i] = fifo.popped();
      }
      // The writer's beat is the token with strobes: lanes without a strobe are zero.
      const stream::WritePort& port = kernel.out.port;
      if (!port.beat_sent) continue;
      for (int lane = 0; lane < data.plan.alpha.band(fpgpt::Port::Out); ++lane) {
        if (lane >= port.first_lane && lane < port.first_lane + port.lanes) continue;
        ASSERT_EQ(port.beat[static_cast<std::size_t>(lane)].bits, 0U) << "lane " << lane;
      }
    }
  }
}

using conv::Kind;
using fpgpt::Port;

constexpr int kLayers = 240;
constexpr std::int64_t kMostProducts = 1'000'000;

std::int64_t products(const conv::Layer& layer, Kind kind) {
  std::int64_t sum = 0;
  for (const conv::Convolution& c : workloads::lower_groups(layer, kind)) {
    sum += c.a * c.n_inp * c.n_kern * c.out_map() * c.m();
  }
  return sum;
}

std::vector<float> reference(const conv::Layer& layer, Kind kind, const std::vector<float>& inp,
                             const std::vector<float>& kern) {
  switch (kind) {
    case Kind::F:
      return test::forward(layer, inp, kern);
    case Kind::GI:
      return test::grad_ifm(layer, inp, kern);
    case Kind::GW:
      return test::grad_weights(layer, inp, kern);
  }
  return {};
}

std::vector<float> dense(const memory::Store& store, Words words) {
  return {store.floats(0), store.floats(0) + words};
}

std::vector<float> magnitudes(std::vector<float> values) {
  for (float& value : values) value = std::fabs(value);
  return values;
}

// Runs all groups of a layer on one kernel, one after the other, into one simulated OUT tensor.
std::vector<float> simulate(const conv::Layer& layer, Kind kind, const fpgpt::Alpha& alpha, std::uint64_t seed,
                            std::vector<float>& inp, std::vector<float>& kern) {
  const workloads::TensorWords words = workloads::tensor_words(layer, kind);
  test::DataCase data = test::make_case(layer, kind, 0, alpha, seed);
  inp = dense(data.memory.of(Port::Inp), words.inp);
  kern = dense(data.memory.of(Port::Kern), words.kern);
  for (int group = 0; group < layer.groups; ++group) {
    const fpgpt::Plan plan = test::make_case(layer, kind, group, alpha, seed).plan;
    test::RandomMemory memory(0, 9, seed);
    fpgpt::exact::run_clocked(plan, memory, &data.memory);
  }
  return dense(data.memory.of(Port::Out), words.out);
}

// Tolerance: FP32 sums of n products differ from each other by at most n * 2^-24 * sum |products| (Higham, Accuracy and
// Stability, 4.2). Random rounding errors stay far below: only wrong results exceed 8 * sqrt(n) * 2^-24.
TEST(FpgptData, OutEqualsOneDnnWithinFp32Tolerance) {
  std::array<int, 3> kinds{};
  std::set<int> strides, dilations, kernels;
  int done = 0;
  for (std::uint64_t seed = 1; done < kLayers; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const conv::Layer layer = test::random_layer(random);
    const auto kind = static_cast<Kind>(seed % 3);
    if (products(layer, kind) > kMostProducts) continue;
    const fpgpt::Alpha alpha = fpgpt::fitted(test::random_alpha(random), workloads::lower_groups(layer, kind));
    std::vector<float> inp, kern;
    const std::vector<float> actual = simulate(layer, kind, alpha, seed, inp, kern);
    const std::vector<float> expected = reference(layer, kind, inp, kern);
    const std::vector<float> scale = reference(layer, kind, magnitudes(inp), magnitudes(kern));
    ASSERT_EQ(actual.size(), expected.size());
    const conv::Convolution c = workloads::lower(layer, kind);
    const double tolerance = 8 * std::sqrt(static_cast<double>(c.a * c.m())) * 0x1p-24;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_LE(std::fabs(actual[i] - expected[i]), tolerance * scale[i]) << "word " << i << " of " << layer.name;
    }
    ++done;
    ++kinds.at(static_cast<std::size_t>(kind));
    for (const conv::LayerAxis& axis : {layer.h, layer.w}) {
      strides.insert(axis.stride);
      dilations.insert(axis.dilation);
      kernels.insert(axis.kernel);
    }
  }
  for (const int count : kinds) EXPECT_GE(count, 60);
  EXPECT_EQ(strides, (std::set<int>{1, 2, 3, 4}));
  EXPECT_EQ(dilations, (std::set<int>{1, 2, 3}));
  EXPECT_EQ(kernels, (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

}  // namespace
}  // namespace weft
