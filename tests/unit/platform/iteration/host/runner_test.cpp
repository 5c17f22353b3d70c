// The runner that weft builds on first use, linked into the test: each operator computes its definition, and all
// operators of the networks can run.
#include <gtest/gtest.h>

#include <cmath>

#include "platform/iteration/host/operator_run.h"

extern "C" weft::host::OperatorRunner* weft_make_operator_runner(int threads);

namespace weft::host {
namespace {

using namespace workloads;
using Floats = std::vector<float>;

class Runner : public testing::Test {
 protected:
  // Runs `what` on float tensors; the outputs have the given shapes.
  std::vector<Floats> run(const Attributes& what, Direction direction, std::vector<Floats> in,
                          const std::vector<std::vector<std::int64_t>>& in_shapes,
                          const std::vector<std::vector<std::int64_t>>& out_shapes) {
    Operator op;
    op.what = what;
    op.direction = direction;
    std::vector<Floats> out;
    OperatorTask task;
    task.op = &op;
    for (std::size_t i = 0; i < in.size(); ++i) {
      task.inputs.push_back({in_shapes[i], static_cast<std::int64_t>(in[i].size()), in[i].data()});
    }
    for (const auto& shape : out_shapes) {
      std::int64_t elements = 1;
      for (const std::int64_t size : shape) elements *= size;
      out.emplace_back(elements, -7.0F);
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      task.outputs.push_back({out_shapes[i], static_cast<std::int64_t>(out[i].size()), out[i].data()});
    }
    const auto made = runner_->prepare(task);
    made->once();
    kernel_ = made->kernel;
    plain_ = made->plain_loop;
    return out;
  }

  std::unique_ptr<OperatorRunner> runner_{weft_make_operator_runner(1)};
  std::string kernel_;
  bool plain_ = false;
};

TEST_F(Runner, RectifiesForwardAndBackwardFromTheOutput) {
  const auto y = run(ActivationOp{}, Direction::Forward, {{-1, 2, -3, 4}}, {{1, 4}}, {{1, 4}});
  EXPECT_EQ(y[0], (Floats{0, 2, 0, 4}));
  EXPECT_EQ(kernel_.rfind("oneDNN ", 0), 0U) << kernel_;
  EXPECT_FALSE(plain_);
  const auto g = run(ActivationOp{}, Direction::Backward, {{5, 6, 7, 8}, y[0]}, {{1, 4}, {1, 4}}, {{1, 4}});
  EXPECT_EQ(g[0], (Floats{0, 6, 0, 8}));
}

// Compares each gradient with differences of its function; it reads the input or the output as saves_input() says.
TEST_F(Runner, HasTheGradientOfEveryActivation) {
  const Floats points{0.4F, 0.9F, 1.7F};
  constexpr float kStep = 1e-2F;
  for (int i = 0; i <= static_cast<int>(Activation::Reciprocal); ++i) {
    ActivationOp op;
    op.function = static_cast<Activation>(i);
    if (op.function == Activation::PRelu) continue;  // two operands
    op.alpha = op.function == Activation::Clip ? 0 : 0.2;
    op.beta = op.function == Activation::Clip ? 6 : 0.5;
    const auto f = [&](float shift) {
      Floats x = points;
      for (float& each : x) each += shift;
      return run(op, Direction::Forward, {x}, {{3}}, {{3}})[0];
    };
    const Floats above = f(kStep), below = f(-kStep), y = f(0), g{1, 2, 3};
    std::vector<Floats> in{g, saves_input(op.function) ? points : y};
    std::vector<std::vector<std::int64_t>> shapes{{3}, {3}};
    if (op.function == Activation::Negate) in.pop_back();  // needs neither
    const Floats gradient = run(op, Direction::Backward, in, shapes, {{3}})[0];
    for (std::size_t k = 0; k < points.size(); ++k) {
      const float slope = (above[k] - below[k]) / (2 * kStep);
      EXPECT_NEAR(gradient[k], g[k] * slope, 5e-3 + 5e-3 * std::abs(slope)) << to_string(op.function) << points[k];
    }
  }
}

// 1 x 1 x 3 x 3, window 2, stride 2, rounded up: the last windows extend over the edge.
TEST_F(Runner, PoolsWithWindowsThatHangOver) {
  PoolOp op;
  op.ceil_mode = true;
  op.axes = {{3, 2, 2, 0, 0, 1, 2}, {3, 2, 2, 0, 0, 1, 2}};
  const Floats x{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(run(op, Direction::Forward, {x}, {{1, 1, 3, 3}}, {{1, 1, 2, 2}, {1, 1, 2, 2}})[0], (Floats{5, 6, 8, 9}));
  op.kind = PoolKind::Average;
  EXPECT_EQ(run(op, Direction::Forward, {x}, {{1, 1, 3, 3}}, {{1, 1, 2, 2}})[0], (Floats{3, 4.5F, 7.5F, 9}));
  EXPECT_EQ(run(op, Direction::Backward, {{4, 2, 2, 1}}, {{1, 1, 2, 2}}, {{1, 1, 3, 3}})[0],
            (Floats{1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST_F(Runner, NormalisesOverTheBatch) {
  BatchNormOp op;
  op.images = 2;
  op.channels = 1;
  op.spatial = 2;
  op.epsilon = 0;
  const Floats x{1, 3, 5, 7};  // mean 4, variance 5
  const auto y = run(op, Direction::Forward, {x, {2}, {1}, {0, 0}}, {{2, 1, 2}, {1}, {1}, {2}}, {{2, 1, 2}})[0];
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[i], 1 + 2 * (x[i] - 4) / std::sqrt(5.0), 1e-5);
  // The gradient of the shift is the sum of g; of the scale, the sum of g (x - mean) / deviation.
  const auto g = run(op, Direction::Backward, {{1, 0, 0, 1}, x, {2}, {0, 0}}, {{2, 1, 2}, {2, 1, 2}, {1}, {2}},
                     {{2, 1, 2}, {1}, {1}});
  EXPECT_NEAR(g[1][0], 0, 1e-5);
  EXPECT_NEAR(g[2][0], 2, 1e-5);
}

TEST_F(Runner, MultipliesMatricesAndTheirTransposed) {
  FullyConnectedOp f;
  f.rows = 1;
  f.in_features = 2;
  f.out_features = 3;
  f.bias = true;
  const Floats w{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(run(f, Direction::Forward, {{1, 10}, w, {100, 200, 300}}, {{1, 2}, {3, 2}, {3}}, {{1, 3}})[0],
            (Floats{121, 243, 365}));
  f.bias = false;
  f.kind = conv::Kind::GI;
  EXPECT_EQ(run(f, Direction::Backward, {{1, 10, 100}, w}, {{1, 3}, {3, 2}}, {{1, 2}})[0], (Floats{531, 642}));
  f.kind = conv::Kind::GW;
  EXPECT_EQ(run(f, Direction::Backward, {{1, 10}, {1, 2, 3}}, {{1, 2}, {1, 3}}, {{3, 2}})[0],
            (Floats{1, 10, 2, 20, 3, 30}));
  MatrixProductOp p;
  p.m = 1;
  p.k = 2;
  p.n = 3;
  const Floats b{1, 2, 3, 4, 5, 6};  // (2, 3)
  EXPECT_EQ(run(p, Direction::Forward, {{1, 10}, b}, {{1, 2}, {2, 3}}, {{1, 3}})[0], (Floats{41, 52, 63}));
  p.kind = conv::Kind::GI;  // g times the transpose of b
  EXPECT_EQ(run(p, Direction::Backward, {{1, 10, 100}, b}, {{1, 3}, {2, 3}}, {{1, 2}})[0], (Floats{321, 654}));
  p.kind = conv::Kind::GW;  // the transpose of a times g
  EXPECT_EQ(run(p, Direction::Backward, {{1, 10}, {1, 2, 3}}, {{1, 2}, {1, 3}}, {{2, 3}})[0],
            (Floats{1, 2, 3, 10, 20, 30}));
}

TEST_F(Runner, AddsBiasesAndSumsTheirGradients) {
  const BiasOp op{2, 2, 2};
  EXPECT_EQ(run(op, Direction::Forward, {{1, 2, 3, 4, 5, 6, 7, 8}, {10, 20}}, {{2, 2, 2}, {2}}, {{2, 2, 2}})[0],
            (Floats{11, 12, 23, 24, 15, 16, 27, 28}));
  EXPECT_EQ(run(op, Direction::Backward, {{1, 2, 3, 4, 5, 6, 7, 8}}, {{2, 2, 2}}, {{2}})[0], (Floats{14, 22}));
}

TEST_F(Runner, JoinsSplitsAndTurnsTensors) {
  EXPECT_EQ(run(ConcatOp{1}, Direction::Forward, {{1, 2}, {3, 4, 5, 6}}, {{2, 1}, {2, 2}}, {{2, 3}})[0],
            (Floats{1, 3, 4, 2, 5, 6}));
  const auto parts = run(ConcatOp{1}, Direction::Backward, {{1, 3, 4, 2, 5, 6}}, {{2, 3}}, {{2, 1}, {2, 2}});
  EXPECT_EQ(parts[0], (Floats{1, 2}));
  EXPECT_EQ(parts[1], (Floats{3, 4, 5, 6}));
  CopyOp turn;
  turn.permutation = {1, 0};
  EXPECT_EQ(run(turn, Direction::Forward, {{1, 2, 3, 4, 5, 6}}, {{2, 3}}, {{3, 2}})[0], (Floats{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(run(turn, Direction::Backward, {{1, 4, 2, 5, 3, 6}}, {{3, 2}}, {{2, 3}})[0], (Floats{1, 2, 3, 4, 5, 6}));
}

// One row of mean 1 and deviation 1, scaled by 2: normalised to -1, -1, 1, 1.
TEST_F(Runner, NormalisesRowsForwardAndBackward) {
  RowNormOp norm;
  norm.size = norm.channels = 4;
  norm.epsilon = 0;
  const Floats x{0, 0, 2, 2}, scale{2, 2, 2, 2}, shift{1, 1, 1, 5};
  const auto y = run(norm, Direction::Forward, {x, scale, shift}, {{1, 4}, {4}, {4}}, {{1, 4}, {2, 1}});
  EXPECT_EQ(y[0], (Floats{-1, -1, 3, 7}));
  EXPECT_EQ(y[1], (Floats{1, 1}));
  // 2, 0, 0, 0, less the mean 0.5, and less the sample times the mean product -0.5.
  const auto g =
      run(norm, Direction::Backward, {{1, 0, 0, 0}, x, scale, y[1]}, {{1, 4}, {1, 4}, {4}, {2, 1}}, {{1, 4}, {4}, {4}});
  EXPECT_EQ(g[0], (Floats{1, -1, 0, 0}));
  EXPECT_EQ(g[1], (Floats{-1, 0, 0, 0}));
  EXPECT_EQ(g[2], (Floats{1, 0, 0, 0}));
  // By the root mean square, in groups of two elements with one parameter.
  RowNormOp rms;
  rms.rows = rms.size = rms.channels = rms.inner = 2;
  rms.epsilon = 0;
  rms.centred = false;
  EXPECT_EQ(run(rms, Direction::Forward, {{3, -3, 2, 2}, {1, 5}}, {{2, 2}, {2}}, {{2, 2}, {2}})[0],
            (Floats{1, -1, 5, 5}));
}

TEST_F(Runner, WeighsTheInputsOfAnInterpolation) {
  CopyOp resize{CopyKind::Resize};
  resize.taps = 2;
  EXPECT_EQ(run(resize, Direction::Forward, {{2, 4}}, {{1, 2}}, {{1, 4}})[0], (Floats{3, 3, 3, 3}));
}

TEST_F(Runner, AddsUpGradientsAndRepeatsOperands) {
  EXPECT_EQ(run(AccumulateOp{}, Direction::Backward, {{1, 2}, {3, 4}, {5, 6}}, {{2}, {2}, {2}}, {{2}})[0],
            (Floats{9, 12}));
  EXPECT_EQ(run(ArithmeticOp{Arithmetic::Multiply}, Direction::Forward, {{1, 2, 3, 4}, {10, 20}}, {{2, 2}, {2, 1}},
                {{2, 2}})[0],
            (Floats{10, 20, 60, 80}));
  EXPECT_EQ(run(ArithmeticOp{Arithmetic::Subtract}, Direction::Forward, {{10, 20}, {1, 2, 3, 4}}, {{2, 1}, {2, 2}},
                {{2, 2}})[0],
            (Floats{9, 8, 17, 16}));
  EXPECT_TRUE(plain_);  // oneDNN broadcasts only the second operand
  const auto g = run(ArithmeticOp{Arithmetic::Multiply}, Direction::Backward, {{1, 1, 1, 1}, {1, 2, 3, 4}, {10, 20}},
                     {{2, 2}, {2, 2}, {2, 1}}, {{2, 2}, {2, 1}});
  EXPECT_EQ(g[0], (Floats{10, 10, 20, 20}));
  EXPECT_EQ(g[1], (Floats{3, 7}));
}

// GI of one channel and one filter of 2 x 2 over 2 x 2, with a border of padding: A is the transpose of the weights, 4
// by 1. B is 1 by 9.
TEST_F(Runner, DoesTheStepsOfAHostThatCutsMatrices) {
  MatrixTask task;
  task.kind = conv::Kind::GI;
  task.layer.h = task.layer.w = {2, 2, 1, 1, 1, 1};
  task.gemm = {4, 1, 9};
  task.tile = {2, 1, 9};
  Floats a{1, 2, 3, 4}, b(9, 5), c(36, -1), a_tiles(4), b_tiles(9), c_tiles(36, 7), map(4);
  task.a = a.data(), task.b = b.data(), task.c = c.data();
  task.a_tiles = a_tiles.data(), task.b_tiles = b_tiles.data(), task.c_tiles = c_tiles.data(), task.map = map.data();
  const auto once = [&](MatrixTask::Step step) {
    task.step = step;
    const auto made = runner_->prepare(task);
    made->once();
    EXPECT_TRUE(made->plain_loop);
  };
  once(MatrixTask::Step::Tile);
  EXPECT_EQ(a_tiles, a);
  EXPECT_EQ(b_tiles, b);
  EXPECT_EQ(c_tiles, Floats(36, 0));
  c_tiles.assign(36, 7);
  once(MatrixTask::Step::Untile);
  EXPECT_EQ(c, Floats(36, 7));
  once(MatrixTask::Step::Col2im);
  EXPECT_EQ(map, Floats(4, 28));  // four words of 7 each

  // GW: A is the gradient itself, B the transpose of im2col (2 by 2 here), and C is accumulated.
  task.kind = conv::Kind::GW;
  task.gemm = {1, 2, 2};
  task.tile = {1, 2, 2};
  b = {1, 2, 3, 4}, c = {10, 20}, c_tiles = {1, 2};
  task.b = b.data(), task.c = c.data(), task.c_tiles = c_tiles.data();
  once(MatrixTask::Step::Untile);
  EXPECT_EQ(c, (Floats{11, 22}));
  once(MatrixTask::Step::Tile);
  EXPECT_EQ(Floats(b_tiles.begin(), b_tiles.begin() + 4), (Floats{1, 3, 2, 4}));
}

TEST_F(Runner, MarksWhatIsNoLibrarys) {
  run(SgdOp{}, Direction::Update, {{1}, {1}, {1}}, {{1}, {1}, {1}}, {{1}, {1}});
  EXPECT_TRUE(plain_);
  EXPECT_EQ(kernel_, "plain loop");
  EXPECT_THROW(run(UnknownOp{"Odd"}, Direction::Forward, {{1}}, {{1}}, {{1}}), std::runtime_error);
}

}  // namespace
}  // namespace weft::host
