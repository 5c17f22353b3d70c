#include "workloads/graph/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/texts.h"
#include "tests/unit/workloads/graph/graph_case.h"
#include "workloads/graph/dependencies.h"

namespace weft::workloads {
namespace {

// Returns operators without tensors, except those that express the dependencies.
Graph of_edges(std::size_t operators, const std::vector<std::pair<OperatorId, OperatorId>>& edges) {
  Graph graph = empty_graph("edges");
  graph.operators.resize(operators);
  for (OperatorId id = 0; id < operators; ++id) {
    graph.operators[id].name = std::string(1, static_cast<char>('a' + id % 26)) + std::to_string(id);
    graph.operators[id].what = UnknownOp{};
  }
  for (const auto& [from, to] : edges) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(graph.tensors.size());
    tensor.producer = from;
    tensor.consumers = {to};
    graph.operators[from].outputs.push_back(graph.tensors.size());
    graph.operators[to].inputs.push_back(graph.tensors.size());
    graph.tensors.push_back(tensor);
  }
  return graph;
}

TEST(GraphCheck, AcceptsWhatTheBuilderMakes) {
  GraphCase c;
  const TensorId y = c.relu("y", c.layer("a", c.x));
  EXPECT_NO_THROW(check(c.with_outputs({y})));
}

TEST(GraphCheck, NamesAnOperatorOfACycleAndNoneBehindIt) {
  // a0 -> b1 -> c2 -> b1, and d3 after b1.
  const Graph graph = of_edges(4, {{0, 1}, {1, 2}, {2, 1}, {2, 3}});
  const std::string message = test::message_of([&] { check(graph); });
  EXPECT_TRUE(message == "graph edges: b1 depends on itself, through a cycle" ||
              message == "graph edges: c2 depends on itself, through a cycle")
      << message;
  EXPECT_EQ(test::message_of([] {
              check(of_edges(2, {{0, 0}, {0, 1}}));
            }),
            "graph edges: a0 depends on itself, through a cycle");
}

TEST(GraphCheck, RefusesTensorsThatDoNotFitTheirOperators) {
  const auto refused = [](const std::string& message, auto change) {
    Graph graph = of_edges(2, {{0, 1}});
    change(graph);
    EXPECT_EQ(test::message_of([&] { check(graph); }), "graph edges: " + message);
  };
  refused("t0 has other producers or consumers than its operators say",
          [](Graph& graph) { graph.tensors[0].consumers.clear(); });
  refused("a0 and b1 both write t0", [](Graph& graph) { graph.operators[1].outputs.push_back(0); });
  refused("b1 has a tensor that is not there", [](Graph& graph) { graph.operators[1].inputs.push_back(7); });
  refused("t0 is a view of itself", [](Graph& graph) { graph.tensors[0].view_of = 0; });
}

TEST(Dependencies, AreDirectAndAscending) {
  //   0 -> 1 -> 3
  //   0 -> 2 -> 3, and 0 -> 3
  const Dependencies d(of_edges(4, {{0, 1}, {0, 2}, {2, 3}, {1, 3}, {0, 3}}));
  EXPECT_EQ(d.predecessors(3), (std::vector<OperatorId>{0, 1, 2}));
  EXPECT_EQ(d.successors(0), (std::vector<OperatorId>{1, 2, 3}));
  EXPECT_TRUE(d.allows({0, 2, 1, 3}));
  EXPECT_FALSE(d.allows({0, 2, 3, 1}));
  EXPECT_FALSE(d.allows({0, 1, 2}));
  EXPECT_FALSE(d.allows({0, 1, 1, 2}));
}

TEST(Dependencies, LetAnOverwriterWaitForTheReadersOfTheMemory) {
  // `a` reads w, `b` reads it through a view, and `u` overwrites it.
  GraphBuilder builder(empty_graph("g"));
  const TensorId w = builder.tensor("w", TensorKind::Weight, {4});
  const auto reader = [&](const std::string& name, TensorId of) {
    return builder.add(operator_of(name, UnknownOp{}, {of}, {builder.tensor(name, TensorKind::Activation, {4})}));
  };
  Operator update = operator_of("u", UnknownOp{}, {w}, {builder.view(w, "w'")});
  update.overwrites = {w};
  const OperatorId u = builder.add(update);
  const OperatorId a = reader("a", w);
  const TensorId v = builder.view(w, "v");
  const OperatorId makes_view = builder.add(operator_of("v", ViewOp{}, {w}, {v}));
  const OperatorId b = reader("b", v);
  const OperatorId after = reader("c", builder.graph().operators[u].outputs[0]);
  const Dependencies d(builder.graph());
  EXPECT_EQ(d.predecessors(u), (std::vector<OperatorId>{a, makes_view, b}));
  EXPECT_EQ(d.predecessors(after), (std::vector<OperatorId>{u}));
}

// x (64 bytes) -> a -> b -> c, where b shares a's memory; the weight of each layer is 64 bytes.
TEST(Lifetimes, LastFromTheFirstWriterToTheLastReaderOfTheMemory) {
  GraphCase c;
  const TensorId a = c.layer("a", c.x);
  const TensorId b = c.view("b", a);
  const TensorId d = c.layer("d", b);
  const TensorId y = c.relu("y", d);
  const Graph graph = c.with_outputs({y});
  const std::vector<Lifetime> all = lifetimes(graph, given_order(graph));
  const auto of = [&](TensorId tensor) {
    return *std::find_if(all.begin(), all.end(), [&](const Lifetime& each) { return each.tensor == tensor; });
  };
  ASSERT_EQ(all.size(), 6U);  // x, two weights, a with b, d, y
  EXPECT_EQ(of(c.x).first, 0U);
  EXPECT_EQ(of(c.x).last, 0U);  // only `a` reads it
  EXPECT_EQ(of(graph.operators[2].inputs[1]).first, 0U);
  EXPECT_EQ(of(graph.operators[2].inputs[1]).last, 3U);  // weights are kept
  EXPECT_EQ(of(a).first, 0U);
  EXPECT_EQ(of(a).last, 2U);  // `d` reads the view
  EXPECT_EQ(of(a).bytes, 64);
  EXPECT_EQ(of(d).first, 2U);
  EXPECT_EQ(of(d).last, 3U);
  EXPECT_EQ(of(y).last, 3U);
  // Operators: a, b, d, y. Two weights at all positions; a: x, a; b: a; d: a, d; y: d, y.
  const Peak peak = peak_memory(graph, given_order(graph));
  EXPECT_EQ(peak.bytes, 4 * 64);
  EXPECT_EQ(peak.position, 0U);
}

TEST(Lifetimes, AreOfLegalOrdersOnly) {
  GraphCase c;
  const Graph graph = c.with_outputs({c.relu("y", c.layer("a", c.x))});
  EXPECT_EQ(test::message_of([&] { lifetimes(graph, {1, 0}); }), "graph case: its dependencies forbid this order");
  EXPECT_EQ(test::message_of([&] { peak_memory(graph, {0}); }), "graph case: its dependencies forbid this order");
}

TEST(RequireKnown, ListsTheOperatorsWithoutAPrice) {
  GraphCase c;
  const TensorId a = c.layer("a", c.x);
  Operator op = operator_of("s", UnknownOp{"Swish"}, {a}, {c.builder().like(a, "y", TensorKind::Activation)});
  op.problem = "the operator is not known";
  c.builder().add(op);
  const Graph graph = c.with_outputs({a});
  EXPECT_EQ(test::message_of([&] { require_known(graph); }),
            "case: no price is known for s (Swish: the operator is not known)");
  // An unknown operator has the bytes of its inputs and outputs.
  EXPECT_EQ(graph.operators[1].bytes_read, 64);
  EXPECT_EQ(graph.operators[1].bytes_written, 64);
  EXPECT_EQ(class_of(graph.operators[1]), OperatorClass::Unknown);
}

TEST(GraphBuilder, AnOperatorOnATensorOfUnknownSizeHasNoPrice) {
  GraphCase c;
  const TensorId a = c.layer("a", c.x);
  const TensorId b = c.builder().unsized("b", TensorKind::Activation);
  c.builder().add(operator_of("known", ActivationOp{}, {a}, {c.builder().like(a, "y", TensorKind::Activation)}));
  c.builder().add(operator_of("sum", ArithmeticOp{}, {a, b}, {c.builder().like(a, "z", TensorKind::Activation)}));
  const TensorId v = c.builder().view(b, "v");
  c.builder().add(operator_of("view", ViewOp{}, {b}, {v}));  // moves no byte
  const Graph graph = c.with_outputs({a});
  EXPECT_EQ(graph.operators[1].problem, "");
  EXPECT_EQ(graph.operators[2].problem, "the size of a tensor is not known");
  EXPECT_EQ(graph.operators[3].problem, "");
  EXPECT_EQ(without_price(graph, true), "sum (the size of a tensor is not known)");
}

TEST(GraphBuilder, RefusesWhatSixtyFourBitsDoNotCount) {
  GraphBuilder builder(empty_graph("g"));
  const std::int64_t half = std::int64_t{1} << 29;
  EXPECT_EQ(test::message_of([&] {
              builder.tensor("t", TensorKind::Input, {half, half, 4});
            }),
            "tensor t takes more than 2^60 bytes at batch 1");
  EXPECT_NO_THROW(builder.tensor("u", TensorKind::Input, {half, half}));  // 2^60 bytes
  EXPECT_EQ(test::message_of([&] { builder.tensor("v", TensorKind::Input, {1}); }),
            "with tensor v, the graph takes more than 2^60 bytes at batch 1");
}

}  // namespace
}  // namespace weft::workloads
