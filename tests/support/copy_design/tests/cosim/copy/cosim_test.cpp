// The RTL compared with the model. `weft cosim --campaign --design copy` and `--mutants` run more comparisons.
#include <gtest/gtest.h>

#include "platform/designs/copy/cosim/launch_case.h"
#include "platform/designs/copy/design.h"
#include "platform/designs/copy/row_work.h"
#include "platform/hardware/cosim/campaign.h"
#include "tests/support/places.h"

namespace weft::copy {
namespace {

cosim::BuildContext build_context() {
  return {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE};
}

Alpha example_alpha() {
  Alpha alpha;
  alpha.band = 4;
  return alpha;
}

cosim::PlacedCase example() {
  cosim::Random random(1);
  auto environment = cosim::three_channels(memory::MemoryKind::ideal, example_alpha().beat_bytes());
  environment.memory.ideal_latency_cycles = 0;
  return place(example_alpha(), 10, environment, random);
}

// CONTRACT.md, section 5; COPY-5, COPY-6 and COPY-8 in the launch that a timeline counts.
TEST(CopyCosim, RtlAndModelTakeTheContractsLaunchAsItSays) {
  const std::unique_ptr<cosim::RtlKernel> rtl = cosim::RtlBuild(hardware(example_alpha()), build_context(), {}).make();
  cosim::PlacedCase placed = example();
  const cosim::RtlStart start = placed.convolution->start();
  EXPECT_EQ(static_cast<std::int64_t>(start.registers.size()) + 1, kRegisterWrites);
  EXPECT_EQ(start.cycles, kToStart);
  const cosim::Verdict verdict = cosim::run_lockstep(*rtl, *placed.convolution, placed.stores, placed.environment);
  EXPECT_EQ(verdict.difference, "");
  EXPECT_EQ(verdict.cycles, 6);
  EXPECT_EQ(verdict.done_cycles, kToDone);
  const Activities& reader = verdict.activities[static_cast<std::size_t>(Block::Reader)];
  EXPECT_EQ(reader.of(Activity::Active), 4) << "the model's, which the RTL's registers equal (COPY-9)";
  EXPECT_EQ(reader.of(Activity::Idle), 2);
}

TEST(CopyCosim, ATokenIsABeatOfTheTensor) {
  const cosim::PlacedCase placed = example();
  test::expect_places(*placed.convolution, placed.environment, placed.stores);
}

// COPY-7.
TEST(CopyCosim, AnIllegalLaunchIsRefusedInTheCycleThatTheContractSays) {
  const std::unique_ptr<cosim::RtlKernel> rtl = cosim::RtlBuild(hardware(example_alpha()), build_context(), {}).make();
  for (const cosim::RefusedCase& refused : refused_cases()) EXPECT_EQ(cosim::offer(*rtl, refused), "");
}

TEST(CopyCosim, RtlAndModelAgreeInEveryHandshakeOfRandomLaunches) {
  cosim::CampaignOptions options;
  options.seed = 3;
  options.builds = 3;
  options.count = 90;
  options.workers = 2;
  std::array<Activities, kBlocks> seen{};
  for (const cosim::BuildResult& build : cosim::run_campaign(rtl_design(), options, build_context(), nullptr).builds) {
    EXPECT_EQ(build.first_difference, "") << "build " << build.build;
    for (const cosim::CaseResult& one : build.cases) {
      ASSERT_TRUE(one.done);
      EXPECT_TRUE(one.equal);
      for (std::size_t block = 0; block < kBlocks; ++block) seen.at(block) += one.activities[block];
    }
  }
  for (const Activities& block : seen) {
    for (const Activity each : {Activity::Active, Activity::Blocked, Activity::Starved}) EXPECT_GT(block.of(each), 0);
  }
}

}  // namespace
}  // namespace weft::copy
