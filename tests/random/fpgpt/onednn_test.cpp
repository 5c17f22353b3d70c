#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "model/fpgpt/sizing.h"
#include "tests/support/random_case.h"
#include "tests/support/random_memory.h"
#include "tests/support/training_reference.h"

namespace weft {
namespace {

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

// All groups of a layer on one kernel, one after the other, into the same simulated OUT tensor.
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
// Stability, 4.2), which a walk of rounding errors does not reach: 8 * sqrt(n) * 2^-24 is exceeded by wrong results
// only.
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
