#include "platform/iteration/host/price.h"

#include <random>

#include "platform/iteration/training/trained_network.h"
#include "tests/support/texts.h"
#include "tests/unit/platform/iteration/host/small_host.h"
#include "workloads/graph/training_graph.h"

namespace weft::host {
namespace {

using config::Host;
using config::UnknownOperators;
using workloads::Direction;
using workloads::Graph;
using workloads::Operator;
using workloads::OperatorClass;

Operator relu(const std::string& name, std::int64_t flops, Bytes read, Bytes written) {
  Operator op;
  op.name = name;
  op.what = workloads::ActivationOp{};
  op.flops = flops;
  op.bytes_read = read;
  op.bytes_written = written;
  return op;
}

Graph graph_of(std::vector<Operator> operators, int batch = 1) {
  Graph graph;
  graph.name = "net";
  graph.batch = batch;
  graph.operators = std::move(operators);
  return graph;
}

TEST(Roofline, IsTheLongerOfArithmeticAndBytesBesideTheCall) {
  const Host host = test::small_host();  // 500 FLOPs and 25 bytes per nanosecond, 2 us
  // 1000 / 500 = 2 ns against 20 / 25 = 0.8 ns.
  const Price compute = roofline(host, relu("a", 1000, 10, 10));
  EXPECT_EQ(compute.time, 2'000'000 + 2000);
  EXPECT_EQ(compute.basis, Basis::Compute);
  // 1000 / 500 = 2 ns against 75 / 25 = 3 ns.
  const Price memory = roofline(host, relu("a", 1000, 50, 25));
  EXPECT_EQ(memory.time, 2'000'000 + 3000);
  EXPECT_EQ(memory.basis, Basis::Memory);
}

// The crossover is at 500 / 25 = 20 FLOPs per byte.
TEST(Roofline, CrossesWhereBothTakeTheSame) {
  const Host host = test::small_host();
  EXPECT_EQ(roofline(host, relu("a", 19'999, 500, 500)).basis, Basis::Memory);
  EXPECT_EQ(roofline(host, relu("a", 20'000, 500, 500)).basis, Basis::Memory);
  EXPECT_EQ(roofline(host, relu("a", 20'001, 500, 500)).basis, Basis::Compute);
  EXPECT_EQ(roofline(host, relu("a", 20'000, 500, 500)).time, 2'000'000 + 40'000);
  EXPECT_EQ(roofline(host, relu("a", 20'001, 500, 500)).time, 2'000'000 + 40'002);
}

// Compares with the exact definition in integers: time is the least t with t * rate * share >= work.
TEST(Roofline, IsRoundedUpOnceWhateverTheNumbers) {
  std::mt19937_64 random(7);
  __extension__ using Wide = unsigned __int128;
  for (int i = 0; i < 10'000; ++i) {
    Host host = test::small_host();
    const auto upto = [&](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)) + 1;
    };
    host.peak_flops_per_s = upto(1'000'000'000'000);
    host.memory_bytes_per_s = upto(1'000'000'000'000);
    config::OperatorCost& cost = host.operators[static_cast<std::size_t>(OperatorClass::Elementwise)];
    cost = {upto(config::kPpm), upto(config::kPpm), upto(1'000'000) - 1};
    const Operator op = relu("a", upto(1'000'000) - 1, upto(1000) - 1, upto(1000) - 1);
    const Picoseconds time = roofline(host, op).time - cost.fixed_ps;
    const auto enough = [&](Picoseconds t) {
      const auto done = [&](std::int64_t work, std::int64_t rate, std::int64_t ppm) {
        return static_cast<Wide>(t) * static_cast<Wide>(rate) * static_cast<Wide>(ppm) >=
               static_cast<Wide>(work) * 1'000'000'000'000 * static_cast<Wide>(config::kPpm);
      };
      return done(op.flops, host.peak_flops_per_s, cost.compute_ppm) &&
             done(op.bytes_read + op.bytes_written, host.memory_bytes_per_s, cost.memory_ppm);
    };
    ASSERT_TRUE(enough(time));
    ASSERT_TRUE(time == 0 || !enough(time - 1));
  }
}

TEST(Roofline, RefusesWhatTakesMoreThanHundredDays) {
  Host host = test::small_host();
  host.memory_bytes_per_s = 1;
  const std::int64_t most = 100LL * 24 * 3600 / 4;  // bytes at a quarter of one per second
  EXPECT_EQ(roofline(host, relu("a", 0, most, 0)).time, most * 4 * 1'000'000'000'000 + 2'000'000);
  EXPECT_THROW(roofline(host, relu("a", 0, most + 1, 0)), Error);
}

TEST(Prices, GiveEachClassItsOwnCost) {
  Host host = test::small_host();
  for (std::size_t i = 0; i < config::kOperatorClasses; ++i) {
    host.operators[i].fixed_ps = static_cast<Picoseconds>(i) + 1;
  }
  const std::vector<std::pair<OperatorClass, workloads::Attributes>> each{
      {OperatorClass::Convolution, workloads::ConvolutionOp{}},
      {OperatorClass::FullyConnected, workloads::FullyConnectedOp{}},
      {OperatorClass::MatrixProduct, workloads::MatrixProductOp{}},
      {OperatorClass::Elementwise, workloads::ActivationOp{}},
      {OperatorClass::Pool, workloads::PoolOp{}},
      {OperatorClass::Normalisation, workloads::BatchNormOp{}},
      {OperatorClass::Softmax, workloads::SoftmaxOp{}},
      {OperatorClass::Reduction, workloads::ReduceOp{}},
      {OperatorClass::Copy, workloads::ConcatOp{}},
      {OperatorClass::View, workloads::ViewOp{}},
      {OperatorClass::Accumulate, workloads::AccumulateOp{}},
      {OperatorClass::Optimiser, workloads::SgdOp{}},
  };
  ASSERT_EQ(each.size() + 1, config::kOperatorClasses);  // all but Unknown
  for (const auto& [kind, what] : each) {
    Operator op;
    op.what = what;
    if (kind == OperatorClass::Optimiser) op.direction = Direction::Update;
    ASSERT_EQ(workloads::class_of(op), kind) << workloads::to_string(kind);
    const Price price = prices(host, graph_of({op})).at(0);
    EXPECT_EQ(price.time, kind == OperatorClass::View ? 0 : static_cast<Picoseconds>(kind) + 1)
        << workloads::to_string(kind);
    EXPECT_EQ(price.basis, kind == OperatorClass::View ? Basis::Nothing : Basis::Memory);
  }
}

TEST(Prices, RefuseUnknownOperatorsByTheirNames) {
  Operator op = relu("odd", 0, 100, 25);
  op.what = workloads::UnknownOp{"Odd"};
  op.problem = "the operator Odd is not known";
  const Graph graph = graph_of({relu("a", 0, 0, 0), op});
  EXPECT_TRUE(test::fails([&] { prices(test::small_host(), graph); }, "odd"));
  const Price price = prices(test::small_host(), graph, UnknownOperators::ByBytes).at(1);
  EXPECT_EQ(price.basis, Basis::Bytes);
  EXPECT_EQ(price.time, 2'000'000 + 5000);  // 125 / 25
}

TEST(Prices, ByBytesRefuseBytesThatAreNotKnown) {
  Graph graph = graph_of({relu("odd", 0, 100, 25)});
  graph.tensors.emplace_back();  // of no known size
  graph.operators[0].what = workloads::UnknownOp{"Odd"};
  graph.operators[0].problem = "the shape of y is not known";
  graph.operators[0].outputs = {graph.tensors.size() - 1};
  EXPECT_TRUE(test::fails([&] { prices(test::small_host(), graph, UnknownOperators::ByBytes); },
                          "the bytes are not known of odd (Odd: the shape of y is not known)"));
}

config::MeasuredOperator entry(const std::string& op, std::int64_t ns, int batch = 4) {
  config::MeasuredOperator m;
  m.network = "net";
  m.op = op;
  m.batch = batch;
  m.ns = ns;
  m.kernel = "jit";
  return m;
}

TEST(Prices, AreWhatWasMeasuredOfTheOperator) {
  Host host = test::small_host();
  host.measured = {entry("a", 77)};
  const std::vector<Price> of = prices(host, graph_of({relu("a", 1000, 0, 0), relu("b", 1000, 0, 0)}, 4));
  EXPECT_EQ(of[0].time, 77'000);
  EXPECT_EQ(of[0].basis, Basis::Measured);
  EXPECT_EQ(of[0].kernel, "jit");
  EXPECT_EQ(of[0].entry, 0U);
  EXPECT_EQ(of[1].basis, Basis::Compute);
  EXPECT_EQ(of[1].entry, std::nullopt);
}

TEST(Prices, TakeNothingThatWasMeasuredOfAnotherNetworkOrDirection) {
  Host host = test::small_host();
  host.measured = {entry("a", 77), entry("a", 78)};
  host.measured[0].network = "other";
  host.measured[1].direction = Direction::Loss;
  EXPECT_EQ(prices(host, graph_of({relu("a", 1000, 0, 0)}, 4))[0].basis, Basis::Compute);
}

TEST(Prices, ScaleWhatWasMeasuredAtTheNearestOtherBatch) {
  Host host = test::small_host();
  host.measured = {entry("a", 100, 3), entry("a", 1000, 48)};
  const Graph at_7 = graph_of({relu("a", 1000, 0, 0)}, 7);  // 7 / 3 is less than 48 / 7
  EXPECT_EQ(prices(host, at_7)[0].time, 233'334);           // 100 * 7 / 3 ns = 233333 1/3 ps
  EXPECT_EQ(prices(host, at_7)[0].basis, Basis::MeasuredAtOther);
  EXPECT_EQ(prices(host, graph_of({relu("a", 1000, 0, 0)}, 12))[0].time, 250'000);  // equally near: 1000 * 12 / 48
  EXPECT_EQ(prices(host, graph_of({relu("a", 1000, 0, 0)}, 48))[0].time, 1'000'000);
  EXPECT_EQ(prices(host, graph_of({relu("a", 1000, 0, 0)}, 48))[0].basis, Basis::Measured);
}

// A step of the optimiser works on weights, so it does not depend on the batch.
TEST(Prices, KeepWhatWasMeasuredOfAnUpdateAtEveryBatch) {
  Operator op;
  op.name = "w";
  op.what = workloads::SgdOp{};
  op.direction = Direction::Update;
  Host host = test::small_host();
  host.measured = {entry(workloads::label(op), 100, 3)};
  host.measured[0].direction = Direction::Update;
  const Price price = prices(host, graph_of({op}, 9))[0];
  EXPECT_EQ(price.time, 100'000);
  EXPECT_EQ(price.basis, Basis::MeasuredAtOther);
}

TEST(Prices, TellOperatorsOfOneLabelByTheirPlace) {
  Host host = test::small_host();
  host.measured = {entry("a", 1), entry("a", 2)};
  host.measured[1].occurrence = 1;
  const auto of =
      prices(host, graph_of({relu("a", 0, 0, 0), relu("b", 0, 0, 0), relu("a", 0, 0, 0), relu("a", 0, 0, 0)}, 4));
  EXPECT_EQ(of[0].time, 1000);
  EXPECT_EQ(of[2].time, 2000);
  EXPECT_EQ(of[3].basis, Basis::Memory);
}

TEST(Prices, CoverEveryOperatorOfATrainedNetwork) {
  const std::string networks = std::string(WEFT_CONFIG_DIR) + "/networks";
  const auto network = training::load_trained("resnet20", {networks});
  const Graph graph = workloads::training_graph(network.forward);
  const auto of = prices(config::load_host("xeon-bronze-3104", {}, {WEFT_CONFIG_DIR}), graph);
  ASSERT_EQ(of.size(), graph.operators.size());
  for (std::size_t i = 0; i < of.size(); ++i) {
    const bool view = workloads::class_of(graph.operators[i]) == OperatorClass::View;
    EXPECT_EQ(of[i].time == 0, view) << workloads::label(graph.operators[i]);
  }
}

}  // namespace
}  // namespace weft::host
