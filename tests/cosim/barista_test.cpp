// Barista's RTL compared with its model. `weft cosim --campaign` and `--mutants` run more comparisons.
#include <gtest/gtest.h>

#include "platform/catalogue/designs.h"
#include "platform/designs/barista/cosim/random_case.h"
#include "platform/designs/barista/design.h"
#include "platform/hardware/cosim/campaign.h"
#include "platform/hardware/cosim/mutation.h"
#include "tests/support/files.h"
#include "tests/support/places.h"

namespace weft::barista {
namespace {

constexpr const char* kFaults = WEFT_SOURCE_DIR "/configs/cosim/mutants-barista.yaml";

cosim::BuildContext build_context() {
  return {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE};
}

Alpha example_alpha() {
  Alpha alpha;
  alpha.tr = alpha.tc = alpha.partials = 2;
  alpha.tp = alpha.band = 4;
  return alpha;
}

cosim::AxiEnvironment ideal(const Alpha& alpha) {
  auto s = cosim::three_channels(memory::MemoryKind::ideal, alpha.beat_bytes());
  s.memory.ideal_latency_cycles = 0;
  return s;
}

// CONTRACT.md, section 7, in both.
TEST(BaristaCosim, RtlAndModelTakeTheContractsGemmAsItSays) {
  const Alpha alpha = example_alpha();
  const std::unique_ptr<cosim::RtlKernel> rtl = cosim::RtlBuild(hardware(alpha), build_context(), {}).make();
  cosim::Random random(1);
  cosim::PlacedCase placed = place(alpha, Gemm{2, 8, 2, 0}, ideal(alpha), random);
  const cosim::Verdict verdict = cosim::run_lockstep(*rtl, *placed.convolution, placed.stores, placed.environment);
  EXPECT_EQ(verdict.difference, "");
  EXPECT_EQ(verdict.cycles, 25);
  EXPECT_EQ(verdict.done_cycles, 1) << "BLC-4";
  const Activities& mesh = verdict.activities[static_cast<std::size_t>(Block::Mesh)];
  EXPECT_EQ(mesh.of(Activity::Starved), 4) << "the model's, which the RTL's registers equal (BLC-7)";
  EXPECT_EQ(mesh.of(Activity::Active), 16);
  EXPECT_EQ(mesh.of(Activity::Idle), 5);
}

TEST(BaristaCosim, TheTokensOfEachFifoFollowTheLoopsOfTheContract) {
  const Alpha alpha = example_alpha();
  cosim::Random random(1);
  for (const Gemm& gemm : {Gemm{1, 1, 1, 0}, Gemm{5, 9, 3, 0}}) {
    const cosim::PlacedCase placed = place(alpha, gemm, ideal(alpha), random);
    test::expect_places(*placed.convolution, placed.environment, placed.stores);
  }
}

// A unit of a run: the launch compared with the RTL is the one that the timeline counts.
TEST(BaristaCosim, ALaunchOfARunTakesWhatItsWorkSays) {
  const test::TemporaryDirectory directory;
  const config::Library library{WEFT_SOURCE_DIR "/configs"};
  for (const int latency : {0, 7, -1}) {  // -1: the board's DDR4
    std::vector<config::Override> overrides{{"network",
                                             "{layers: [{name: a, channels: 4, h: 6, w: 5, filters: 8, "
                                             "groups: 2, kernel: 3, pad: 1}]}",
                                             "network"}};
    if (latency >= 0) {
      overrides.push_back({"memory", "{kind: ideal, latency_cycles: " + std::to_string(latency) + "}", "memory"});
    }
    const config::RunConfig run = design::load_run("resnet20-barista", overrides, library);
    workloads::Network network;
    network.layers = config::inline_layers(run);
    const std::unique_ptr<cosim::RunCases> cases = rtl_design().plan(run, network);
    const std::unique_ptr<design::Work> work = plan_work(run, network);
    ASSERT_EQ(cases->units().size(), work->units().size());
    for (const std::size_t unit : {0U, 1U, 600U}) {
      const cosim::PlacedCase placed = cases->place(unit, 1);
      const cosim::RtlStart start = placed.convolution->start();
      const design::Launch launch = work->launch(unit);
      EXPECT_EQ(start.cycles, launch.to_start);
      EXPECT_EQ(static_cast<std::int64_t>(start.registers.size()) + 1, launch.register_writes) << "BLC-1";
      ASSERT_TRUE(start.read);
      EXPECT_EQ(start.read->latency + 5, start.cycles) << "BLC-2, BLC-3";
      EXPECT_EQ(start.read->address % 4096, 0) << "a page of its own";
    }
    if (latency >= 0) {
      EXPECT_EQ(cases->place(0, 1).convolution->start().read->latency, latency);
    }
  }
}

// BLC-6; STATUS 3 is tested in the RTL's own bench, whose memory can answer with an error.
TEST(BaristaCosim, WhatIsNoGemmIsRefusedInTheCycleThatTheRegistersSay) {
  const Alpha alpha = example_alpha();
  const std::unique_ptr<cosim::RtlKernel> rtl = cosim::RtlBuild(hardware(alpha), build_context(), {}).make();
  std::array<int, 3> by_status{};
  for (const cosim::RefusedCase& refused : refused_cases()) {
    EXPECT_EQ(cosim::offer(*rtl, refused), "");
    ++by_status.at(static_cast<std::size_t>(refused.status));
  }
  EXPECT_EQ(by_status, (std::array<int, 3>{0, 3, 6}));
}

// BLC-5.
TEST(BaristaCosim, TheAddressOfTheParamsIsThatOfTheirBeat) {
  const Alpha alpha = example_alpha();
  const std::unique_ptr<cosim::RtlKernel> rtl = cosim::RtlBuild(hardware(alpha), build_context(), {}).make();
  cosim::RtlStart start = rtl_start({Tiles(alpha, Gemm{1, 1, 1, 0}), {0x10000, 0x20000, 0x30000}, 0x5010, 2});
  start.registers[4] += 12;  // PARAMS, low half: the last word of the beat of 16 bytes
  const cosim::RtlStarted started = rtl->start(start);
  EXPECT_TRUE(started.runs);
  EXPECT_EQ(started.cycles, start.cycles);
}

// Part of the campaign: every block is active and starved at times, and those that can be blocked are.
TEST(BaristaCosim, RtlAndModelAgreeInEveryHandshakeOfRandomGemms) {
  cosim::CampaignOptions options;
  options.seed = 3;
  options.builds = 4;
  options.count = 120;
  options.workers = 2;
  const cosim::CampaignResult result = cosim::run_campaign(rtl_design(), options, build_context(), nullptr);
  std::array<Activities, kBlocks> seen{};
  int refused = 0;
  for (const cosim::BuildResult& build : result.builds) {
    EXPECT_EQ(build.first_difference, "") << "build " << build.build;
    for (const cosim::CaseResult& one : build.cases) {
      ASSERT_TRUE(one.done);
      EXPECT_TRUE(one.equal);
      refused += one.refused_with != 0;
      for (std::size_t block = 0; block < kBlocks; ++block) seen.at(block) += one.activities[block];
    }
  }
  EXPECT_GT(refused, 10);
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const char* name = to_string(static_cast<Block>(block));
    EXPECT_GT(seen.at(block).of(Activity::Active), 0) << name;
    EXPECT_GT(seen.at(block).of(Activity::Starved), 0) << name;
    EXPECT_GT(seen.at(block).of(Activity::Blocked), 0) << name;
  }
}

TEST(BaristaCosim, AFaultInTheRtlIsNoticed) {
  std::vector<cosim::Mutant> some;
  for (cosim::Mutant& mutant : cosim::load_mutants(rtl_design(), kFaults)) {
    for (const char* name : {"mesh-starts-on-a-alone", "pe-no-reset", "buffer-wrong-half", "drain-ignores-full"}) {
      if (mutant.name == name) some.push_back(mutant);
    }
  }
  ASSERT_EQ(some.size(), 4U);
  const cosim::MutationResult result = cosim::run_mutants(rtl_design(), some, build_context(), 60, 2, nullptr);
  for (const cosim::MutantResult& each : result.mutants) EXPECT_NE(each.difference, "") << each.mutant.name;
  for (const std::string& difference : result.controls) EXPECT_EQ(difference, "");
}

TEST(BaristaCosim, EachFaultOfTheProjectStandsExactlyOnceInTheRtl) {
  const std::vector<cosim::Mutant> mutants = cosim::load_mutants(rtl_design(), kFaults);
  EXPECT_GE(mutants.size(), 20U);
  for (const cosim::Mutant& mutant : mutants)
    EXPECT_NO_THROW(cosim::check(rtl_design(), mutant, WEFT_SOURCE_DIR)) << mutant.name;
}

}  // namespace
}  // namespace weft::barista
