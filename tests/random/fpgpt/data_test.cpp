#include <gtest/gtest.h>

#include "tests/support/hardware_order.h"
#include "tests/support/random_layer.h"
#include "tests/support/random_memory.h"
#include "tests/support/run_data.h"

namespace weft {
namespace {

using conv::Kind;

fpgpt::Alpha fitted(fpgpt::Alpha alpha, const conv::Convolution& c) {
  const conv::WindowGeometry geometry = conv::window_geometry(c, alpha.x);
  alpha.z = static_cast<int>(geometry.z);
  alpha.z_channel = geometry.z_channel;
  alpha.k_range = c.kern_words();
  alpha.kern_words = fpgpt::kern_memory_words(alpha, c);
  alpha.out_words = fpgpt::out_memory_words(alpha, c);
  return alpha;
}

std::int64_t work(const conv::Convolution& c) { return c.a * c.n_inp * c.n_kern * c.out_map() * c.m(); }

TEST(FpgptData, OutEqualsTheHardwareSummationOrderBitForBit) {
  int done = 0;
  for (std::uint64_t seed = 1; done < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const conv::Layer layer = test::random_layer(random);
    const Kind kind = static_cast<Kind>(test::pick(random, 0, 2));
    const int group = test::pick(random, 0, layer.groups - 1);
    const conv::Convolution c = workloads::lower(layer, kind, group);
    if (work(c) > 400000) continue;
    const fpgpt::Alpha alpha = fitted(test::random_alpha(random), c);
    test::DataCase data = test::make_case(layer, kind, group, alpha, seed);
    std::vector<float> expected = test::contents(data.memory.channels[2]);
    test::hardware_order(data.plan.beta, test::contents(data.memory.channels[0]), test::contents(data.memory.channels[1]),
                         expected);
    test::RandomMemory slow(0, test::pick(random, 0, 20), seed);
    const fpgpt::ConvolutionResult with_data = engine::run_clocked(data.plan, slow, &data.memory);
    const std::vector<float> actual = test::contents(data.memory.channels[2]);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(fpgpt::bits(actual[i]), fpgpt::bits(expected[i])) << "word " << i;
    }
    for (const Activities& block : with_data.activities) ASSERT_EQ(block.total(), with_data.cycles);

    fpgpt::Plan timing = data.plan;
    timing.with_data = false;
    test::RandomMemory again(0, 0, seed), once(0, 0, seed);
    const fpgpt::ConvolutionResult a = engine::run_clocked(timing, again, nullptr);
    const fpgpt::ConvolutionResult b = engine::run_clocked(data.plan, once, &data.memory);
    ASSERT_EQ(a.cycles, b.cycles);
    ASSERT_EQ(a.activities, b.activities);
    ++done;
  }
}

}  // namespace
}  // namespace weft
