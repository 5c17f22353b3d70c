#include "model/conv/loop_nest.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::conv {
namespace {

using Floats = std::vector<float>;

WordSpan<const float> view(const Floats& data) {
  return {data.data(), static_cast<Words>(data.size())};
}
WordSpan<float> view(Floats& data) {
  return {data.data(), static_cast<Words>(data.size())};
}

Floats run(const Convolution& c, const Floats& inp, const Floats& kern) {
  Floats out(static_cast<std::size_t>(c.out_words()), -1.0F);
  run_loop_nest<FloatSum>(c, view(inp), view(kern), view(out));
  return out;
}

// Convolution of one row and one channel: INP (1, 1, 1, 1, inp), KERN (1, 1, 1, kern).
Convolution row(Kind kind, const Axis& w) {
  Convolution c;
  c.kind = kind;
  c.w = w;
  return c;
}

// Axis: inp, kern, out, stride, pad_begin, inp_dilation, kern_dilation.

TEST(LoopNest, MultipliesWithoutTurningTheKernelInTheForwardPass) {
  EXPECT_EQ(run(row(Kind::F, {3, 2, 2, 1, 0, 1, 1}), {1, 2, 3}, {10, 1}), (Floats{12, 23}));
}

TEST(LoopNest, TurnsTheKernelForTheGradientOfTheIfm) {
  EXPECT_EQ(run(row(Kind::GI, {3, 2, 2, 1, 0, 1, 1}), {1, 2, 3}, {10, 1}), (Floats{21, 32}));
}

TEST(LoopNest, ReadsZerosAroundInpAndBetweenItsDilatedSamples) {
  // 1 0 2 with one zero before and two after.
  EXPECT_EQ(run(row(Kind::F, {2, 2, 5, 1, 1, 2, 1}), {1, 2}, {10, 1}), (Floats{1, 10, 2, 20, 0}));
}

TEST(LoopNest, CropsInpWhereThePaddingIsNegative) {
  EXPECT_EQ(run(row(Kind::F, {4, 1, 2, 1, -1, 1, 1}), {1, 2, 3, 4}, {1}), (Floats{2, 3}));
}

TEST(LoopNest, SpreadsADilatedKernelAndStridesOverInp) {
  EXPECT_EQ(run(row(Kind::F, {6, 2, 2, 3, 0, 1, 2}), {1, 2, 3, 4, 5, 6}, {10, 1}), (Floats{13, 46}));
}

TEST(LoopNest, SumsTheGradientOfTheWeightsOverA) {
  Convolution c = row(Kind::GW, {2, 1, 2, 1, 0, 1, 1});
  c.a = 2;
  c.inp.pitch_a = 2;
  c.kern.pitch_a = 1;
  EXPECT_EQ(run(c, {1, 2, 3, 4}, {10, 100}), (Floats{310, 420}));
}

TEST(LoopNest, GivesTheSumEveryProductInOrderAndTellsItWhereAnAEnds) {
  struct Trace {  // a product is its digits, the end of an A a nine
    double digits = 0;
    void add(float inp, float kern) { digits = digits * 10 + inp * kern; }
    void end_of_a() { digits = digits * 10 + 9; }
    float value() const { return static_cast<float>(digits); }
  };
  Convolution c = row(Kind::GW, {3, 2, 1, 1, 1, 1, 2});  // positions: padding, between the samples of KERN, INP[1]
  c.a = 2;
  c.inp.pitch_a = 3;
  c.kern.pitch_a = 2;
  const Floats inp{1, 2, 3, 4, 5, 6}, kern{1, 1, 1, 1};
  Floats out(1);
  run_loop_nest<Trace>(c, view(inp), view(kern), view(out));
  EXPECT_EQ(out[0], 29.0F * 10000 + 59);  // 0 0 2, end, 0 0 5, end
}

TEST(LoopNest, SumsInDoubleOnRequest) {
  Convolution c = row(Kind::F, {3, 3, 1, 1, 0, 1, 1});
  const Floats inp{1e8F, 1, -1e8F}, kern{1, 1, 1};
  Floats out(1);
  run_loop_nest<FloatSum>(c, view(inp), view(kern), view(out));
  EXPECT_EQ(out[0], 0.0F);
  run_loop_nest<DoubleSum>(c, view(inp), view(kern), view(out));
  EXPECT_EQ(out[0], 1.0F);
}

TEST(LoopNest, RefusesAViewThatLeavesItsMemory) {
  Convolution c = row(Kind::F, {3, 2, 2, 1, 0, 1, 1});
  EXPECT_THROW(run(c, {1, 2}, {10, 1}), Error);
  EXPECT_THROW(run(c, {1, 2, 3}, {10}), Error);
  c.inp.base = -4;
  EXPECT_THROW(run(c, {1, 2, 3}, {10, 1}), Error);
  c.inp.base = 0;
  c.out.base = 4;
  EXPECT_THROW(run(c, {1, 2, 3}, {10, 1}), Error);
}

}  // namespace
}  // namespace weft::conv
