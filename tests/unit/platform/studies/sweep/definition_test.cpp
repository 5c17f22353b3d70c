#include "platform/studies/sweep/definition/definition.h"

#include "platform/designs/fpgpt/kernel_config.h"
#include "tests/support/texts.h"
#include "tests/support/work_case.h"

namespace weft::sweep {
namespace {

class Definitions : public testing::Test {
 protected:
  Definition read(const std::string& text, const std::vector<std::string>& sets = {}) {
    return {dir_.write("sweep.yaml", text).string(), test::overrides(sets), {WEFT_CONFIG_DIR}};
  }
  std::string error_of(const std::string& text, const std::vector<std::string>& sets = {}) {
    return test::message_of([&] { read(text, sets); });
  }
  std::string digest(const std::string& text, const std::vector<std::string>& sets = {}) {
    return read(text, sets).digest([](const config::RunConfig&) { return workloads::Network(); });
  }

  test::TemporaryDirectory dir_;
};

TEST_F(Definitions, PointsAreTheCandidatesThatPassTheFiltersInTheirOrder) {
  const Definition d =
      read("run: conv-small\nspace: {kernel.array.x: [1, 2, 4], kernel.array.y: [3, 5]}\nwhere: [x*y <= 10, y > x]\n");
  EXPECT_EQ(d.candidates(), 6);
  ASSERT_EQ(d.points(), 4);  // 1x3, 1x5, 2x3 and 2x5; 4x3 and 4x5 are too large
}

TEST_F(Definitions, ARunHasTheValuesOfItsPoint) {
  const Definition d = read(R"(run: conv-small
set: {batch: 3, kernel.clock_mhz: =50*speed + x}
space:
  kernel.array.x: [2, 4]
  zip: {kernel.profile: [hls, rtl], $speed: [1, 2.5]}
)");
  ASSERT_EQ(d.points(), 4);
  const config::RunConfig run = d.run(3);
  EXPECT_EQ(fpgpt::KernelConfig::of(run).x, 4);
  EXPECT_EQ(run.batch, 3);
  EXPECT_EQ(fpgpt::KernelConfig::of(run).clock, (Frequency{129, 1}));
  EXPECT_TRUE(fpgpt::KernelConfig::of(run).profile.exact_bursts);
  EXPECT_FALSE(fpgpt::KernelConfig::of(d.run(2)).profile.exact_bursts);
  EXPECT_EQ(d.parameters(3), (std::vector<Value>{std::int64_t{4}, std::string("rtl"), 2.5}));
}

TEST_F(Definitions, PartsAreLaidOverTheWholeThatAnAxisGives) {
  // Half the DSPs of each board; x of the kernel is kept when an axis chooses the kernel.
  const Definition d = read(R"(run: googlenet-u250
set: {kernel.array.x: 5, rung: analytical, board.dsp.usable: =board.dsp.usable/2}
space:
  board.bram36.total: [60000]
  kernel: [fpgpt-8x8-hls, fpgpt-16x16-rtl]
  board: [u250, u50]
)");
  ASSERT_EQ(d.points(), 4);
  EXPECT_EQ(fpgpt::KernelConfig::of(d.run(0)).x, 5);
  EXPECT_EQ(fpgpt::KernelConfig::of(d.run(0)).y, 8);
  EXPECT_EQ(fpgpt::KernelConfig::of(d.run(2)).y, 16);
  EXPECT_EQ(d.run(0).board.dsp->usable, 11508 / 2);
  EXPECT_EQ(d.run(1).board.dsp->usable, 5952 / 2);
  EXPECT_EQ(d.run(1).board.block_ram->total, 60000);
}

TEST_F(Definitions, FiltersSeeKeysOfThePointsRun) {
  const Definition d = read(R"(run: googlenet-u250
set: {rung: analytical}
space: {board: [u250, u50], kernel.array.x: [16, 80]}
where: 9*x*kernel.array.y <= board.dsp.usable
)");
  // 9*80*16 = 11520 exceeds the 11508 and 5952 DSPs; 9*16*16 = 2304 does not.
  EXPECT_EQ(d.points(), 2);
}

TEST_F(Definitions, EmptyAndContradictoryFiltersSayWhichLeavesNothing) {
  const std::string base = "run: conv-small\nspace: {kernel.array.x: [1, 2, 3, 4]}\n";
  EXPECT_TRUE(test::has(error_of(base + "where: x > 4\n"), "none of the 4 points of the space satisfies 'x > 4'"));
  const std::string both = error_of(base + "where: ['x > 2', 'x < 2']\n");
  EXPECT_TRUE(test::has(both, "contradict each other"));
  EXPECT_TRUE(test::has(both, "'x > 2' alone leaves 2, 'x < 2' alone leaves 1"));
}

TEST_F(Definitions, WhatIsWrongIsSaidAtItsPlace) {
  const std::string base = "run: conv-small\nspace: {kernel.array.x: [1, 2], kernel.array.y: [1, 2]}\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"run: conv-small\n", "space: is missing"},
      {"space: {batch: [1]}\n", "run: is missing"},
      {"run: nosuch\nspace: {batch: [1]}\n", "there is no run 'nosuch'"},
      {base + "wehre: x > 1\n", "did you mean 'where'"},
      {base + "where: x = 2\n",
       "sweep.yaml:3: where: the expression 'x = 2' is wrong: a single '=' assigns; write == to compare"},
      {base + "where:\n  - x == 2\n  - x := 2\n", "sweep.yaml:5: where: the expression 'x := 2'"},
      {base + "constraints: [dsp < 3 && fits = 1]\n", "sweep.yaml:3: constraints: the expression"},
      {base + "objectives: [{minimize: dsp = 1}]\n", "sweep.yaml:3: objectives.minimize: the expression 'dsp = 1'"},
      {base + "set: {batch: '=x = 2'}\n", "sweep.yaml:3: set.batch: the expression 'x = 2'"},
      {base + "objectives: [convolutions_seconds]\n", "{minimize: FIELD}"},
      {base + "constraints: [dps < 3]\n", "did you mean 'dsp'"},
      {base + "set: {kernel.array.x: 3}\n", "set.kernel.array.x: is varied in space as well"},
      {base + "set: {output: x}\n", "does not affect results"},
      {"run: conv-small\nspace: {workers: [1, 2]}\n", "does not affect results"},
      {"run: conv-small\nspace: {a.x: [1], b.x: [2]}\nwhere: x > 1\n", "'x' can mean a.x or b.x"}};
  for (const auto& [text, wanted] : cases) {
    EXPECT_TRUE(test::has(error_of(text), wanted)) << text;
  }
  EXPECT_TRUE(test::has(error_of(base, {"kernel.array.x=3"}), "varied by the sweep itself"));
}

TEST_F(Definitions, TheDigestChangesWithWhateverDecidesResultsAndWithNothingElse) {
  const std::string base = "run: conv-small\nspace: {kernel.array.x: [1, 2]}\n";
  const std::string digest = this->digest(base);
  EXPECT_EQ(digest, this->digest(base));
  EXPECT_EQ(digest, this->digest("name: other\ntitle: x\nworkers: 7\n" + base +
                                 "objectives: [{minimize: dsp}]\nconstraints: [fits == 1]\n"));
  EXPECT_NE(digest, this->digest(base + "where: x < 2\n"));
  EXPECT_NE(digest, this->digest(base + "set: {batch: 3}\n"));
  EXPECT_NE(digest, this->digest(base, {"batch=3"}));
  EXPECT_NE(digest, this->digest("run: conv-small\nspace: {kernel.array.x: [2, 1]}\n"));
  EXPECT_NE(digest, this->digest("run: conv-small\nspace: {kernel.array.y: [1, 2]}\n"));
}

TEST_F(Definitions, TheDigestChangesWithTheFilesThatValuesName) {
  dir_.write("mine.yaml", "extends: u250\ndsp: {total: 100, usable: 90}\n");
  const std::string text = "run: conv-small\nspace: {board: [u250, mine.yaml]}\n";
  const std::string before = digest(text);
  EXPECT_EQ(before, digest(text));
  dir_.write("mine.yaml", "extends: u250\ndsp: {total: 100, usable: 91}\n");
  EXPECT_NE(before, digest(text));
}

TEST_F(Definitions, SamplesHaveEveryValueOfEveryAxis) {
  const Definition d = read("run: conv-small\nspace: {kernel.array.x: [1, 2, 3], kernel.array.y: [1, 2]}\n");
  EXPECT_EQ(d.samples(), (std::vector<std::int64_t>{0, 1, 2, 4}));
}

}  // namespace
}  // namespace weft::sweep
