#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "model/batchlane/kernel.h"
#include "model/batchlane/systemc/virtual_platform.h"
#include "model/memory/config.h"
#include "tests/random/batchlane/random_pass.h"
#include "tests/support/random_memory.h"

namespace weft::batchlane {
namespace {

using Bytes8 = std::vector<std::int8_t>;

// A layer's tensors in the host's layout: [channel][row][column][lane], weights [output][input][tap].
struct Tensors {
  Bytes8 x, dy, weights;
};

Bytes8 random_bytes(test::Random& random, std::size_t count) {
  Bytes8 bytes(count);
  for (std::int8_t& each : bytes) each = static_cast<std::int8_t>(random());
  return bytes;
}

// The dense convolutions of training from their definitions; weights that are not kept are zero. Calls `use(output,
// input, tap, output pixel, input pixel)` for each product.
template <class Use>
void for_each_product(const conv::Layer& layer, Use use) {
  const conv::LayerAxis &h = layer.h, &w = layer.w;
  for (int o = 0; o < layer.filters; ++o) {
    for (int c = 0; c < layer.channels; ++c) {
      for (int kh = 0; kh < h.kernel; ++kh) {
        for (int kw = 0; kw < w.kernel; ++kw) {
          for (int row = 0; row < h.out(); ++row) {
            for (int column = 0; column < w.out(); ++column) {
              const int y = row * h.stride + kh - h.pad_begin, x = column * w.stride + kw - w.pad_begin;
              if (y < 0 || y >= h.size || x < 0 || x >= w.size) continue;
              use(o, c, kh * w.kernel + kw, row * w.out() + column, y * w.size + x);
            }
          }
        }
      }
    }
  }
}

// Returns the expected memory contents after the pass: 32-bit words from the results' base on.
std::vector<std::int32_t> reference(const test::Pass& pass, const Plan& plan, const Tensors& t) {
  const conv::Layer& layer = pass.layer;
  const std::int64_t lanes = pass.alpha.lanes, taps = plan.taps();
  const std::int64_t x_pixels = std::int64_t{layer.h.size} * layer.w.size,
                     y_pixels = std::int64_t{layer.h.out()} * layer.w.out();
  const auto weight = [&](int o, int c, int tap) -> std::int32_t {
    return pass.mask.kept(o, c)
               ? t.weights[static_cast<std::size_t>((std::int64_t{o} * layer.channels + c) * taps + tap)]
               : 0;
  };
  const auto of_x = [&](int channel, int pixel, std::int64_t lane) {
    return static_cast<std::size_t>((channel * x_pixels + pixel) * lanes + lane);
  };
  const auto of_y = [&](int channel, int pixel, std::int64_t lane) {
    return static_cast<std::size_t>((channel * y_pixels + pixel) * lanes + lane);
  };
  if (pass.kind == conv::Kind::GW) {
    // All kernels, then the kept ones in memory order: block by block, inputs, outputs.
    std::vector<std::int32_t> all(static_cast<std::size_t>(taps * layer.filters * layer.channels));
    for_each_product(layer, [&](int o, int c, int tap, int out, int in) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        all[static_cast<std::size_t>((std::int64_t{o} * layer.channels + c) * taps + tap)] +=
            std::int32_t{t.dy[of_y(o, out, lane)]} * t.x[of_x(c, in, lane)];
      }
    });
    // DN-5, for a dense kernel: groups of inputs, outputs, inputs of the group or zeros.
    std::vector<std::int32_t> kept;
    const bool dense = pass.alpha.dense();
    const int inputs = dense ? pass.alpha.pes : 1;
    for (int first = 0; first < layer.filters; first += plan.block_outputs) {
      for (int group = 0; group < layer.channels; group += inputs) {
        for (int o = first; o < std::min(layer.filters, first + plan.block_outputs); ++o) {
          for (int c = group; c < group + inputs; ++c) {
            if (!dense && !pass.mask.kept(o, c)) continue;
            const std::int64_t begin = (std::int64_t{o} * layer.channels + c) * taps;
            for (std::int64_t i = begin; i < begin + taps; ++i) {
              kept.push_back(c < layer.channels ? all[static_cast<std::size_t>(i)] : 0);
            }
          }
        }
      }
    }
    return kept;
  }
  const bool gi = pass.kind == conv::Kind::GI;
  std::vector<std::int32_t> result(
      static_cast<std::size_t>(lanes * (gi ? layer.channels * x_pixels : layer.filters * y_pixels)));
  for_each_product(layer, [&](int o, int c, int tap, int out, int in) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      if (gi) {
        result[of_x(c, in, lane)] += weight(o, c, tap) * t.dy[of_y(o, out, lane)];
      } else {
        result[of_y(o, out, lane)] += weight(o, c, tap) * t.x[of_x(c, in, lane)];
      }
    }
  });
  return result;
}

constexpr std::int32_t kUntouched = 0x5A5A5A5A;
constexpr Bytes kRoom = 1 << 19;  // size of the results' channel

struct Outcome {
  bool equal = true, only_results_touched = true;
  std::int64_t overflows = 0;
};

Outcome run(const test::Pass& pass, const Tensors& t, std::uint64_t seed, Fault fault) {
  const Plan plan = make_plan(pass.alpha, pass.layer, pass.kind, pass.mask, t.weights, test::kBases, true);
  DataMemory data;
  data.channels.emplace_back(test::kBases.results + kRoom);
  memory::Store& store = data.channels.front();
  const Bytes8& streamed = pass.kind == conv::Kind::GI ? t.dy : t.x;
  std::memcpy(store.at(plan.bases.features), streamed.data(), streamed.size());
  std::memcpy(store.at(plan.bases.gradients), t.dy.data(), t.dy.size());
  lay_csb(plan, store.at(plan.bases.csb));
  std::vector<std::int32_t> expected = reference(pass, plan, t);
  const std::size_t results = expected.size();
  expected.resize(kRoom / 4, kUntouched);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::memcpy(store.at(plan.bases.results + static_cast<Address>(4 * i)), &kUntouched, 4);
  }
  weft::test::RandomMemory memory(0, static_cast<Cycles>(seed % 23), seed);
  const PassResult result = seed % 2 == 0 || fault != Fault::None
                                ? run_exact(plan, memory, &data, {}, fault)
                                : systemc::virtual_platform().run(plan, memory, {0, 0, 0}, &data.channels);
  Outcome outcome;
  outcome.overflows = result.overflows;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::int32_t word = 0;
    std::memcpy(&word, store.at(plan.bases.results + static_cast<Address>(4 * i)), 4);
    (i < results ? outcome.equal : outcome.only_results_touched) &= word == expected[i];
  }
  return outcome;
}

test::Pass pass_of(test::Random& random, conv::Kind kind) {
  test::Pass pass;
  do {
    pass = test::random_pass(random);
  } while (kind == conv::Kind::GW && pass.kind != kind);
  pass.kind = kind;
  return pass;
}

Tensors tensors_of(test::Random& random, const test::Pass& pass) {
  const Bytes x = Bytes{pass.layer.h.size} * pass.layer.w.size * pass.alpha.lanes;
  const auto kernels = static_cast<std::size_t>(std::int64_t{pass.layer.filters} * pass.layer.channels);
  return {
      random_bytes(random, static_cast<std::size_t>(x * pass.layer.channels)),
      random_bytes(random, static_cast<std::size_t>(test::output_bytes(pass.layer, pass.alpha) * pass.layer.filters)),
      random_bytes(random,
                   kernels * static_cast<std::size_t>(std::int64_t{pass.layer.h.kernel} * pass.layer.w.kernel))};
}

void expect_exact(test::Random& random, const test::Pass& pass, std::uint64_t seed) {
  const Outcome outcome = run(pass, tensors_of(random, pass), seed, Fault::None);
  ASSERT_TRUE(outcome.equal);
  ASSERT_TRUE(outcome.only_results_touched);
  ASSERT_EQ(outcome.overflows, 0);
}

class BatchlaneData : public testing::TestWithParam<conv::Kind> {};

TEST_P(BatchlaneData, FourHundredPassesEqualTheDenseConvolutionWithMaskedWeights) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed + 1000 * static_cast<std::uint64_t>(GetParam()));
    ASSERT_NO_FATAL_FAILURE(expect_exact(random, pass_of(random, GetParam()), seed));
  }
}

TEST_P(BatchlaneData, FourHundredDensePassesEqualTheDenseConvolution) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed + 1000 * static_cast<std::uint64_t>(GetParam()));
    test::Pass pass;
    do {
      pass = test::random_dense_pass(random);
    } while (pass.kind != GetParam());
    ASSERT_NO_FATAL_FAILURE(expect_exact(random, pass, seed));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, BatchlaneData, testing::Values(conv::Kind::F, conv::Kind::GI, conv::Kind::GW),
                         [](const auto& kind) { return std::string(conv::to_string(kind.param)); });

// PE-5: two units in one bank are detected in every case in which PEs begin the second while the first is written.
TEST(BatchlaneFault, ABankThatIsNotSwappedIsNoticed) {
  int noticed = 0, cases = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    test::Random random(seed);
    test::Pass pass = pass_of(random, conv::Kind::F);
    pass.alpha.outputs_per_pe = 1;  // makes many units
    // Maps of another size can have tiles of padding alone, whose results are 0 in either bank.
    conv::Layer& layer = pass.layer;
    layer = test::layer_of(layer.channels, layer.filters, layer.h.size, layer.w.size, layer.h.kernel, layer.batch);
    pass.alpha.tile_pixels = std::max(8, layer.w.size);
    pass.mask = sparse::Mask(pass.layer.filters, pass.layer.channels, true);
    const Plan plan = make_plan(pass.alpha, pass.layer, pass.kind, pass.mask, {}, test::kBases, false);
    if (plan.units() < 3) continue;
    ++cases;
    noticed += run(pass, tensors_of(random, pass), seed, Fault::PingPong).equal ? 0 : 1;
  }
  EXPECT_GT(cases, 20);
  EXPECT_EQ(noticed, cases);
}

void expect_equal(const PassResult& a, const PassResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.activities, b.activities);
  EXPECT_EQ(a.pe_cycles, b.pe_cycles);
  for (std::size_t port = 0; port < kPorts; ++port) {
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      EXPECT_EQ(a.ports[port].*field.count, b.ports[port].*field.count) << kPortInfos[port].name << " " << field.name;
    }
  }
}

std::unique_ptr<memory::Memory> random_memory(test::Random& random, std::uint64_t seed) {
  if (test::pick(random, 0, 2) > 0) {
    const int least = test::pick(random, 0, 40);
    return std::make_unique<weft::test::RandomMemory>(least, least + test::pick(random, 0, 30), seed);
  }
  memory::MemoryConfig config;
  config.kernel_clock = 250;
  config.channels = 2;
  config.port_channel = {0, test::pick(random, 0, 1), 0};
  config.latency_cycles = test::pick(random, 0, 30);
  config.write_response_cycles = test::pick(random, 0, 9);
  return memory::make_memory(config);
}

void expect_equal_rungs(const test::Pass& pass, test::Random& random, std::uint64_t seed) {
  const Plan plan = make_plan(pass.alpha, pass.layer, pass.kind, pass.mask, {}, test::kBases, false);
  const std::unique_ptr<memory::Memory> memory = random_memory(random, seed);
  const PassResult exact = run_exact(plan, *memory, nullptr);
  const PassResult stepped = run_exact(plan, *memory, nullptr, {true});
  const PassResult systemc = systemc::virtual_platform().run(plan, *memory, {0, 0, 0}, nullptr);
  expect_equal(exact, stepped);
  expect_equal(exact, systemc);
  for (const Activities& block : exact.activities) EXPECT_EQ(block.total(), exact.cycles);
  std::int64_t all = 0;
  for (const std::int64_t each : exact.pe_cycles) all += each;
  EXPECT_EQ(all, exact.cycles * pass.alpha.pes * pass.alpha.lanes);
}

TEST(BatchlaneRungs, SystemcStepsAndEveryCycleAgreeInEveryCount) {
  int kinds[3]{};
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Pass pass = test::random_pass(random);
    ++kinds[static_cast<int>(pass.kind)];
    expect_equal_rungs(pass, random, seed);
    if (HasFailure()) return;
  }
  for (const int each : kinds) EXPECT_GT(each, 80);
}

TEST(BatchlaneRungs, TheyAgreeOnTheDenseAlphaToo) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    expect_equal_rungs(test::random_dense_pass(random), random, seed);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace weft::batchlane
