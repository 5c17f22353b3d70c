#include "platform/iteration/host/profile.h"

#include <thread>

#include "platform/iteration/host/price.h"
#include "platform/iteration/training/trained_network.h"
#include "tests/support/texts.h"
#include "tests/unit/platform/iteration/host/small_host.h"
#include "workloads/graph/training_graph.h"

namespace weft::host {
namespace {

using namespace workloads;

Graph resnet20(int batch) {
  ImportOptions options;
  options.batch = batch;
  return training_graph(
      training::load_trained("resnet20", {std::string(WEFT_CONFIG_DIR) + "/networks"}, options).forward);
}

// A runner whose operators take at least the scripted time, run by run.
class Scripted : public OperatorRunner {
 public:
  std::unique_ptr<OperatorRun> prepare(const OperatorTask& task) override {
    class Run : public OperatorRun {
     public:
      explicit Run(int& runs) : runs_(runs) { kernel = "scripted"; }
      void once() override {
        // The first run is not counted; of the other five, sorted, the third is the median.
        constexpr int kMs[] = {40, 1, 30, 6, 30, 1};
        std::this_thread::sleep_for(std::chrono::milliseconds(kMs[runs_++ % 6]));
      }

     private:
      int& runs_;
    };
    runs = 0;
    touched = touched && task.op != nullptr && task.inputs.size() == task.op->inputs.size();
    return std::make_unique<Run>(runs);
  }
  std::unique_ptr<OperatorRun> prepare(const MatrixTask&) override { return nullptr; }
  int runs = 0;
  bool touched = true;
};

TEST(Profile, TakesTheMedianBehindARunThatIsNotCounted) {
  const Graph graph = resnet20(1);
  const std::vector<OperatorId> first{profiled_operators(graph, false).front()};
  Scripted runner;
  std::vector<std::size_t> done;
  const auto of = profile(graph, first, runner, {1, 5, false}, [&](std::size_t n) { done.push_back(n); });
  ASSERT_EQ(of.size(), 1U);
  EXPECT_EQ(runner.runs, 6);
  EXPECT_TRUE(runner.touched);
  EXPECT_GE(of[0].ns, 6'000'000);
  EXPECT_LT(of[0].ns, 30'000'000);
  EXPECT_EQ(of[0].kernel, "scripted");
  EXPECT_EQ(done, std::vector<std::size_t>{1});
}

TEST(Profile, MeasuresAllThatIsNoConvolutionAndNoView) {
  const Graph graph = resnet20(1);
  std::size_t views = 0, convolutions = 0;
  for (const Operator& op : graph.operators) {
    views += class_of(op) == OperatorClass::View ? 1 : 0;
    convolutions += op.is_convolution() ? 1 : 0;
  }
  EXPECT_GT(convolutions, 0U);
  EXPECT_EQ(profiled_operators(graph, false).size(), graph.operators.size() - views - convolutions);
  EXPECT_EQ(profiled_operators(graph, true).size(), graph.operators.size() - views);
}

// y = relu(x) in the memory of x: 400 bytes once. z = y + x: two memories.
TEST(Profile, CountsEachMemoryOfAnOperatorOnce) {
  Graph graph;
  for (int i = 0; i < 3; ++i) {
    Tensor t;
    t.elements = 100;
    graph.tensors.push_back(t);
  }
  graph.tensors[1].view_of = 0;
  Operator relu, add;
  relu.what = ActivationOp{};
  relu.inputs = {0};
  relu.outputs = {1};
  add.name = "sum";
  add.what = ArithmeticOp{};
  add.inputs = {0, 1};
  add.outputs = {2};
  graph.operators = {relu, add};
  EXPECT_EQ(operand_bytes(graph, 0), 400);
  EXPECT_EQ(operand_bytes(graph, 1), 800);
  EXPECT_NO_THROW(check_memory(graph, {0, 1}, 1600));
  EXPECT_TRUE(test::fails([&] { check_memory(graph, {0, 1}, 1599); }, "'sum'"));
}

TEST(Profile, IsUsedByThePricesOfItsNetworkAlone) {
  const Graph graph = resnet20(2);
  const std::vector<OperatorId> operators = profiled_operators(graph, false);
  std::vector<ProfiledOperator> profiled;
  profiled.reserve(operators.size());
  for (const OperatorId id : operators) profiled.push_back({id, static_cast<std::int64_t>(id) + 1, "k", false});
  const config::Host host = with_measured(test::small_host(), graph, profiled, 3);
  ASSERT_EQ(host.measured.size(), operators.size());
  const std::vector<Price> of = prices(host, graph);
  for (const OperatorId id : operators) {
    EXPECT_EQ(of[id].time, (static_cast<Picoseconds>(id) + 1) * 1000) << label(graph.operators[id]);
    EXPECT_EQ(of[id].basis, Basis::Measured);
  }
  // A second profile adds no duplicates; entries of another batch are added.
  EXPECT_EQ(with_measured(host, graph, profiled, 3).measured.size(), operators.size());
  EXPECT_EQ(with_measured(host, resnet20(4), profiled, 3).measured.size(), 2 * operators.size());
}

// F of a 3x3 layer over 2 channels: 2 x 9 values for each of 4 x 5 outputs, for 3 images, of 4 bytes. GI: each element
// of the IFM has 9 gradients of 7 filters.
TEST(Published, CountsIm2colByWindows) {
  ConvolutionOp op;
  op.layer.batch = 3;
  op.layer.channels = 2;
  op.layer.filters = 7;
  op.layer.h = {6, 3, 1, 0, 0, 1};
  op.layer.w = {7, 3, 1, 0, 0, 1};
  EXPECT_EQ(im2col_bytes(op, 4), 2 * 9 * 4 * 5 * 3 * 4);
  op.kind = conv::Kind::GW;
  EXPECT_EQ(im2col_bytes(op, 4), 2 * 9 * 4 * 5 * 3 * 4);
  op.kind = conv::Kind::GI;
  EXPECT_EQ(im2col_bytes(op, 4), 7 * 9 * 6 * 7 * 3 * 4);
}

// 1000 operations of a convolution: 1 us at 10^9 per second, on average half that rate, with im2col a quarter. So the
// rest takes 1 us, and im2col 3 us.
TEST(Published, GivesWhatTheDifferencesOfRatesLeave) {
  ConvolutionOp conv;
  conv.layer.channels = conv.layer.filters = 1;
  conv.layer.h = conv.layer.w = {1, 1, 1, 0, 0, 1};
  Operator op, relu;
  op.what = conv;
  op.flops = 1000;
  relu.what = ActivationOp{};
  relu.flops = 500'000;
  Graph graph;
  graph.operators = {op, relu};
  config::Host host = test::small_host();  // relu: 2 us and 500,000 / 500 ns
  const Comparison c = compare(host, {"n", 1000, 500, 250, false, {}}, graph);
  EXPECT_NEAR(c.host_published, 1e-6, 1e-15);
  EXPECT_NEAR(c.host_model, 3e-6, 1e-15);
  EXPECT_NEAR(c.im2col_published, 4 / 3e-6, 1e-3);
}

}  // namespace
}  // namespace weft::host
