#include "platform/iteration/host/plain_loops.h"

#include <gtest/gtest.h>

#include <numeric>

#include "workloads/graph/graph.h"

namespace weft::host {
namespace {

using namespace workloads;
using Floats = std::vector<float>;

TEST(PlainLoops, DropOutAboutTheRatioAndScaleTheRest) {
  constexpr std::int64_t kCount = 100'000;
  const Floats x(kCount, 3.0F);
  Floats y(kCount), gradient(kCount);
  std::vector<unsigned char> mask(kCount);
  plain::dropout(x.data(), y.data(), mask.data(), kCount, 0.25, 1);
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    kept += mask[i];
    ASSERT_EQ(y[i], mask[i] != 0 ? 4.0F : 0.0F);  // 3 / (1 - 1/4)
  }
  // The standard deviation of 100,000 draws at 3/4 is 137; the draws are always the same.
  EXPECT_NEAR(static_cast<double>(kept), 75'000, 5 * 137);
  plain::dropout_gradient(x.data(), mask.data(), gradient.data(), kCount, 0.25);
  EXPECT_EQ(gradient, y);
  plain::dropout(x.data(), y.data(), mask.data(), kCount, 0, 1);
  EXPECT_EQ(std::accumulate(mask.begin(), mask.end(), std::int64_t{0}), kCount);
}

// Two rows of two classes. Logits (0, 0) give each class 1/2, and the loss is log 2; (log 3, 0) give 3/4, 1/4.
TEST(PlainLoops, GiveTheCrossEntropyOfLogitsAndItsGradient) {
  const float log3 = std::log(3.0F);
  const Floats x{0, 0, log3, 0};
  const std::vector<std::int64_t> labels{1, 0};
  Floats saved(4), g(4);
  const float loss = plain::cross_entropy(x.data(), labels.data(), saved.data(), 2, 2, LossInput::Logits);
  EXPECT_NEAR(loss, (std::log(2.0) + std::log(4.0 / 3)) / 2, 1e-6);
  EXPECT_NEAR(saved[3], std::log(0.25), 1e-6);
  plain::cross_entropy_gradient(labels.data(), saved.data(), g.data(), 2, 2, LossInput::Logits);
  const double expected[] = {0.5 / 2, (0.5 - 1) / 2, (0.75 - 1) / 2, 0.25 / 2};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(g[i], expected[i], 1e-6) << i;
}

TEST(PlainLoops, TakeProbabilitiesAndTheirLogarithmsForWhatTheyAre) {
  const Floats p{0.5F, 0.5F, 0.25F, 0.75F};
  const std::vector<std::int64_t> labels{0, 0};
  Floats g(4);
  EXPECT_NEAR(plain::cross_entropy(p.data(), labels.data(), nullptr, 2, 2, LossInput::Probabilities), std::log(8.0) / 2,
              1e-6);
  plain::cross_entropy_gradient(labels.data(), p.data(), g.data(), 2, 2, LossInput::Probabilities);
  EXPECT_EQ(g, (Floats{-1, 0, -2, 0}));  // -1 / (2 p)
  EXPECT_EQ(plain::cross_entropy(p.data(), labels.data(), nullptr, 2, 2, LossInput::LogProbabilities), -0.375F);
  plain::cross_entropy_gradient(labels.data(), nullptr, g.data(), 2, 2, LossInput::LogProbabilities);
  EXPECT_EQ(g, (Floats{-0.5F, 0, -0.5F, 0}));
}

TEST(PlainLoops, StepByMomentumAndWeightDecay) {
  Floats w{1, 2}, v{4, 8};
  const Floats g{0.5F, 0.25F};
  SgdOp op;
  op.momentum = 0.5;
  op.weight_decay = 0.25;
  plain::sgd(w.data(), g.data(), v.data(), 2, op, 0.5F);
  EXPECT_EQ(v, (Floats{2 + 0.5F + 0.25F, 4 + 0.25F + 0.5F}));
  EXPECT_EQ(w, (Floats{1 - 2.75F / 2, 2 - 4.75F / 2}));
  Floats plain_w{1};
  op.weight_decay = 0;
  plain::sgd(plain_w.data(), g.data(), nullptr, 1, op, 0.5F);
  EXPECT_EQ(plain_w, Floats{0.75F});
}

TEST(PlainLoops, SpreadCopyAndFold) {
  const Floats x{1, 2};
  Floats y(6);
  plain::spread(x.data(), y.data(), 2, 3, 0.5F);
  EXPECT_EQ(y, (Floats{0.5F, 0.5F, 0.5F, 1, 1, 1}));
  const Floats values{3, 1, 3, 0, 2, 2}, most{3, 2};
  plain::spread_to_equal(x.data(), values.data(), most.data(), y.data(), 2, 3);
  EXPECT_EQ(y, (Floats{1, 0, 1, 0, 2, 2}));
  plain::copy(x.data(), y.data(), 2, 5);
  EXPECT_EQ(y, (Floats{1, 2, 1, 2, 1, 2}));
  Floats folded(2);
  plain::fold(values.data(), folded.data(), 6, 2);
  EXPECT_EQ(folded, (Floats{7, 4}));
}

TEST(PlainLoops, GiveEachChannelItsSlope) {
  const Floats x{-1, 2, -3, 4}, slope{0.5F, 0.25F}, g{1, 2, 3, 4};  // (2 images, 2 channels, 1)
  Floats y(4), gx(4), gslope(2);
  plain::prelu(x.data(), slope.data(), y.data(), 2, 2, 1);
  EXPECT_EQ(y, (Floats{-0.5F, 2, -1.5F, 4}));
  plain::prelu_gradient(g.data(), x.data(), slope.data(), gx.data(), gslope.data(), 2, 2, 1);
  EXPECT_EQ(gx, (Floats{0.5F, 2, 1.5F, 4}));
  EXPECT_EQ(gslope, (Floats{1 * -1 + 3 * -3, 0}));
}

TEST(PlainLoops, FindWhereARepeatedOperandLies) {
  const std::vector<std::int64_t> shape{2, 3, 4}, channel{3, 1}, all{1}, same{2, 3, 4};
  for (std::int64_t i = 0; i < 24; ++i) {
    EXPECT_EQ(plain::repeated(i, shape, channel), i / 4 % 3);
    EXPECT_EQ(plain::repeated(i, shape, all), 0);
    EXPECT_EQ(plain::repeated(i, shape, same), i);
  }
}

// Compares with differences of the function itself.
TEST(PlainLoops, HaveTheGradientsOfTheirFunctions) {
  constexpr float kStep = 1e-2F;
  for (const Activation function : {Activation::Erf, Activation::HardSigmoid, Activation::Reciprocal}) {
    ActivationOp op;
    op.function = function;
    op.alpha = 0.2;
    op.beta = 0.5;
    for (const float x : {-1.5F, 0.75F, 1.25F}) {
      const float slope = (plain::activation(op, x + kStep) - plain::activation(op, x - kStep)) / (2 * kStep);
      const float saved = saves_input(function) ? x : plain::activation(op, x);
      EXPECT_NEAR(plain::activation_gradient(op, 3, saved), 3 * slope, 2e-3) << to_string(function) << x;
    }
  }
  for (const Arithmetic function : {Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply, Arithmetic::Divide,
                                    Arithmetic::Max, Arithmetic::Min, Arithmetic::Power}) {
    const float a = 1.5F, b = 0.75F;
    const auto f = [&](float x, float y) { return workloads::apply(function, x, y); };
    EXPECT_NEAR(plain::arithmetic_gradient(function, 0, 3, a, b), 3 * (f(a + kStep, b) - f(a - kStep, b)) / (2 * kStep),
                2e-3)
        << to_string(function);
    EXPECT_NEAR(plain::arithmetic_gradient(function, 1, 3, a, b), 3 * (f(a, b + kStep) - f(a, b - kStep)) / (2 * kStep),
                2e-3)
        << to_string(function);
  }
}

}  // namespace
}  // namespace weft::host
