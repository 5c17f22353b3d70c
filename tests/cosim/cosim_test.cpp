#include <gtest/gtest.h>

#include <optional>

#include "model/core/error.h"
#include "platform/cosim/build.h"
#include "platform/cosim/lockstep.h"
#include "tests/support/random_layer.h"
#include "tests/support/run_data.h"

// The RTL, written from the contract alone, and the model, side by side: zero difference is the only pass.
namespace weft {
namespace {

using conv::Kind;

constexpr int kMaxSets = 64;
constexpr int kConvolutions = 300;

struct Build {
  const char* name;
  int x, y, z, band;
  Words z_channel, k_range, kern_words, out_words;
  fpgpt::Profile profile;  // exact_bursts, overlap_drain, wide_kern_load, early_kern_feed, packed_gw_sets
  int fifo_depth;
  fpgpt::PortConfig port;
};

fpgpt::Alpha alpha_of(const Build& b) {
  fpgpt::Alpha alpha;
  alpha.x = b.x;
  alpha.y = b.y;
  alpha.z = b.z;
  alpha.band = b.band;
  alpha.z_channel = b.z_channel;
  alpha.k_range = b.k_range;
  alpha.kern_words = b.kern_words;
  alpha.out_words = b.out_words;
  alpha.profile = b.profile;
  const int d = b.fifo_depth;
  alpha.fifo = {d, d, d, d, d, d, d, d, d, d};
  alpha.inp_port = alpha.kern_port = alpha.out_port = b.port;
  return alpha;
}

cosim::Surroundings random_surroundings(test::Random& random, const fpgpt::Alpha& alpha, std::uint64_t seed) {
  cosim::Surroundings s;
  s.memory.kernel_clock = test::pick(random, 0, 1) ? Frequency{100, 1} : Frequency{300, 1};
  s.memory.beat_bytes = alpha.beat_bytes();
  s.channels = {0, test::pick(random, 0, 1), test::pick(random, 0, 2)};
  s.memory.port_channel = {s.channels[0], s.channels[1], s.channels[2]};
  s.memory.channels = 3;
  s.memory.latency_cycles = test::pick(random, 0, 30);
  s.memory.ideal_latency_cycles = test::pick(random, 0, 9);
  s.memory.kind = test::pick(random, 0, 1) ? memory::MemoryKind::ddr4 : memory::MemoryKind::ideal;
  s.memory.ddr4.auto_precharge_a3 = test::pick(random, 0, 1) != 0;
  s.refuse_percent = test::pick(random, 0, 2) * 30;
  s.seed = seed;
  return s;
}

struct Case {
  test::DataCase data;
  cosim::Surroundings surroundings;
};

// A random convolution that the compiled kernel can hold, placed in memory with random contents.
std::optional<Case> random_case(std::uint64_t seed, const fpgpt::Alpha& alpha) {
  test::Random random(seed);
  const conv::Layer layer = test::random_layer(random);
  const auto kind = static_cast<Kind>(test::pick(random, 0, 2));
  const int group = test::pick(random, 0, layer.groups - 1);
  const conv::Convolution c = workloads::lower(layer, kind, group);
  if (c.a * c.n_inp * c.n_kern * c.out_map() * c.m() > 60000) return std::nullopt;
  if (ceil_div(c.out_map(), alpha.x) > kMaxSets) return std::nullopt;
  Case result;
  result.surroundings = random_surroundings(random, alpha, seed);
  try {
    result.data = test::make_case(layer, kind, group, alpha, seed, result.surroundings.channels);
  } catch (const Error&) {
    return std::nullopt;  // beyond the compiled sizes
  }
  return result;
}

class Cosim : public testing::TestWithParam<Build> {};

TEST_P(Cosim, RtlAndModelAgreeInEveryHandshakeOfRandomConvolutions) {
  const fpgpt::Alpha alpha = alpha_of(GetParam());
  const cosim::RtlBuild build(alpha, kMaxSets, {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE});
  const std::unique_ptr<cosim::RtlKernel> rtl = build.make();  // one kernel for all, as hardware
  std::array<int, 3> kinds{};
  fpgpt::BlockActivities seen{};
  std::int64_t cycles = 0, handshakes = 0;
  int done = 0;
  for (std::uint64_t seed = 1; done < kConvolutions; ++seed) {
    ASSERT_LT(seed, 200000U);
    std::optional<Case> each = random_case(seed, alpha);
    if (!each) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const cosim::Verdict verdict =
        cosim::run_lockstep(*rtl, each->data.plan, each->data.memory.channels, each->surroundings);
    ASSERT_EQ(verdict.difference, "");
    ++done;
    ++kinds.at(static_cast<std::size_t>(each->data.plan.beta.kind));
    cycles += verdict.cycles;
    handshakes += verdict.handshakes;
    for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
      for (std::size_t i = 0; i < 4; ++i) seen[block].cycles[i] += verdict.activities[block].cycles[i];
    }
  }
  for (const int count : kinds) EXPECT_GE(count, kConvolutions / 8);
  for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
    const char* name = to_string(static_cast<fpgpt::Block>(block));
    EXPECT_GT(seen[block].of(Activity::Active), 0) << name;
    EXPECT_GT(seen[block].of(Activity::Starved), 0) << name;
  }
  std::printf("%d convolutions (%d F, %d GI, %d GW), %lld cycles, %lld handshakes\n", done, kinds[0], kinds[1],
              kinds[2], static_cast<long long>(cycles), static_cast<long long>(handshakes));
}

INSTANTIATE_TEST_SUITE_P(
    Builds, Cosim,
    testing::Values(Build{"Rtl", 5, 3, 24, 8, 96, 96, 512, 4096, {true, true, true, true, true}, 2, {16, 4}},
                    Build{"Hls", 3, 4, 17, 4, 80, 96, 1024, 4096, {false, false, false, false, false}, 1, {256, 2}},
                    Build{"Mixed", 4, 2, 20, 16, 96, 96, 1024, 4096, {true, true, false, true, false}, 3, {2, 1}},
                    Build{"Other", 4, 5, 20, 16, 96, 96, 1024, 4096, {false, false, true, true, true}, 1, {16, 3}}),
    [](const testing::TestParamInfo<Build>& info) { return std::string(info.param.name); });

// A model that disagrees must be told apart: the same convolution against an RTL with other FIFO depths.
TEST(CosimDifference, IsReportedWithCycleFifoAndBothValues) {
  const Build build{"", 5, 3, 24, 8, 96, 96, 512, 4096, {true, true, true, true, true}, 2, {16, 4}};
  const cosim::RtlBuild rtl(alpha_of(build), kMaxSets, {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE});
  fpgpt::Alpha other = alpha_of(build);
  other.fifo.inp_column = 1;
  std::optional<Case> each;
  for (std::uint64_t seed = 1; !each; ++seed) each = random_case(seed, other);
  const cosim::Verdict verdict =
      cosim::run_lockstep(*rtl.make(), each->data.plan, each->data.memory.channels, each->surroundings);
  EXPECT_NE(verdict.difference.find("cycle "), std::string::npos) << verdict.difference;
  EXPECT_NE(verdict.difference.find("inp_column"), std::string::npos) << verdict.difference;
  EXPECT_NE(verdict.difference.find("model "), std::string::npos) << verdict.difference;
}

}  // namespace
}  // namespace weft
