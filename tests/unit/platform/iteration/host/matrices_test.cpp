#include "platform/iteration/host/matrices.h"

#include <thread>

#include "tests/support/texts.h"
#include "tests/unit/platform/iteration/host/small_host.h"

namespace weft::host {
namespace {

using namespace workloads;

// Records the requested tasks; each run takes a millisecond or more.
class Watched : public OperatorRunner {
 public:
  std::unique_ptr<OperatorRun> prepare(const OperatorTask&) override { return nullptr; }
  std::unique_ptr<OperatorRun> prepare(const MatrixTask& task) override {
    class Run : public OperatorRun {
      void once() override { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
    };
    asked.push_back(task);
    return std::make_unique<Run>();
  }
  std::vector<MatrixTask> asked;
};

Operator convolution(conv::Kind kind, int groups, int kernel) {
  ConvolutionOp op;
  op.kind = kind;
  op.layer.channels = 2 * groups;
  op.layer.filters = 3 * groups;
  op.layer.groups = groups;
  op.layer.h = {5, kernel, 1, kernel / 2, kernel / 2, 1};
  op.layer.w = {4, kernel, 1, kernel / 2, kernel / 2, 1};
  Operator result;
  result.what = op;
  return result;
}

Operator relu() {
  Operator result;
  result.what = ActivationOp{};
  return result;
}

ProfiledMatrices profiled(const std::vector<Operator>& operators, Watched& runner) {
  Graph graph;
  graph.name = "small";
  graph.operators = operators;
  return profile_matrices(graph, {4, 8, 16}, runner, 1, [](std::size_t) {});
}

// 3 x 3 over 2 channels, 3 filters and 5 x 4 outputs, tiles <4, 16, 8>. F: R = 3, P = 18, C = 20: 1 x 3 tiles of A of
// 32 words, 3 x 2 of B of 128, 1 x 2 of C of 64. GI: R = 18, P = 3, C = 20: 5 x 1, 1 x 2 and 5 x 2, and 18 * 20 words
// for col2im. GW: R = 3, P = 20, C = 18: 1 x 3, 3 x 2, 1 x 2.
TEST(Matrices, CountTheWordsOfTilesWithTheirPadding) {
  const std::int64_t f = 3 * 32 + 6 * 128 + 2 * 64, gi = 5 * 32 + 2 * 128 + 10 * 64;
  Watched runner;
  const ProfiledMatrices all = profiled(
      {convolution(conv::Kind::F, 1, 3), convolution(conv::Kind::GI, 1, 3), convolution(conv::Kind::GW, 1, 3)}, runner);
  EXPECT_EQ(all.convolutions, 3U);
  EXPECT_EQ(all.tiled.words, f + gi + f);
  EXPECT_EQ(all.untiled.words, 2 * 64 + 10 * 64 + 2 * 64);
  EXPECT_EQ(all.col2im.words, 18 * 20);
  ASSERT_EQ(runner.asked.size(), 7U);  // only GI has col2im
  EXPECT_EQ(runner.asked[4].step, MatrixTask::Step::Col2im);
  EXPECT_NE(runner.asked[4].map, nullptr);
  EXPECT_GE(all.tiled.ns, 3'000'000);
  EXPECT_GE(all.col2im.ns, 1'000'000);
}

TEST(Matrices, MeasureEqualSizesOnceAndCountThemAsOftenAsTheyAre) {
  Watched once, runner;
  const ProfiledMatrices one = profiled({convolution(conv::Kind::F, 1, 3)}, once);
  const ProfiledMatrices all =
      profiled({convolution(conv::Kind::F, 1, 3), relu(), convolution(conv::Kind::F, 5, 3)}, runner);
  EXPECT_EQ(runner.asked.size(), 2U);
  EXPECT_EQ(all.convolutions, 2U);
  EXPECT_EQ(all.tiled.words, 6 * one.tiled.words);
  EXPECT_EQ(all.untiled.words, 6 * one.untiled.words);
  EXPECT_GE(all.untiled.ns, 6'000'000);
  EXPECT_EQ(all.untiled.ns % 6, 0);
}

// The maps already are the matrix.
TEST(Matrices, HaveNoCol2imOfAWindowOfOne) {
  Watched runner;
  const ProfiledMatrices all = profiled({convolution(conv::Kind::GI, 1, 1)}, runner);
  EXPECT_EQ(all.col2im.words, 0);
  EXPECT_EQ(runner.asked.size(), 2U);
}

TEST(Matrices, AreRefusedWithoutConvolutions) {
  Watched runner;
  EXPECT_THROW(profiled({relu()}, runner), Error);
}

// 2 ns for 3 words are 667 ps (666.7), 5 for 4 are 1250, 1 for 2 are 500.
TEST(Matrices, BecomePricesThatAreNoAssumptions) {
  config::Host base = test::small_host();
  base.matrices = config::MatrixCosts{1, 2, 3};
  base.assumed = {"operators", "matrices", "matrices.tile_ns", "im2col_gbytes_per_s"};
  ProfiledMatrices measured;
  measured.tiled = {3, 2};
  measured.untiled = {4, 5};
  measured.col2im = {2, 1};
  const config::Host host = with_matrices(base, measured);
  EXPECT_EQ(host.matrices->tile_ps, 667);
  EXPECT_EQ(host.matrices->untile_ps, 1250);
  EXPECT_EQ(host.matrices->col2im_ps, 500);
  EXPECT_EQ(host.assumed, (std::vector<std::string>{"operators", "im2col_gbytes_per_s"}));

  measured.col2im = {};
  const config::Host kept = with_matrices(base, measured);
  EXPECT_EQ(kept.matrices->col2im_ps, 3);
  EXPECT_EQ(kept.assumed, (std::vector<std::string>{"operators", "im2col_gbytes_per_s", "matrices.col2im_ns"}));
  base.matrices.reset();
  EXPECT_TRUE(test::fails([&] { with_matrices(base, measured); }, "matrices.col2im_ns"));
}

}  // namespace
}  // namespace weft::host
