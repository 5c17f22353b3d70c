#include "workloads/graph/training_graph.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "model/core/error.h"
#include "tests/support/texts.h"
#include "tests/unit/workloads/graph/graph_case.h"
#include "workloads/graph/dependencies.h"

namespace weft::workloads {
namespace {

std::vector<std::string> labels(const Graph& graph) {
  std::vector<std::string> all;
  all.reserve(graph.operators.size());
  for (const Operator& op : graph.operators) all.push_back(label(op));
  return all;
}

std::vector<std::string> names(const Graph& graph, const std::vector<TensorId>& tensors) {
  std::vector<std::string> all;
  all.reserve(tensors.size());
  for (const TensorId t : tensors) all.push_back(graph.tensors[t].name);
  return all;
}

using Names = std::vector<std::string>;

// Runs an order of operators: every tensor that an operator reads must still be in memory.
void expect_runs(const Graph& graph, const std::vector<OperatorId>& order) {
  std::vector<bool> there(graph.tensors.size());
  for (TensorId t = 0; t < there.size(); ++t) there[t] = !graph.tensors[t].producer.has_value();
  for (const OperatorId id : order) {
    const Operator& op = graph.operators[id];
    for (const TensorId t : op.inputs) ASSERT_TRUE(there[t]) << label(op) << " reads " << graph.tensors[t].name;
    for (const TensorId lost : op.overwrites) {
      for (TensorId t = 0; t < there.size(); ++t) there[t] = there[t] && storage(graph, t) != storage(graph, lost);
    }
    for (const TensorId t : op.outputs) there[t] = true;
  }
}

std::vector<OperatorId> random_order(const Dependencies& dependencies, std::mt19937& random) {
  std::vector<OperatorId> ready, order;
  std::vector<std::size_t> missing(dependencies.size());
  for (OperatorId id = 0; id < dependencies.size(); ++id) {
    missing[id] = dependencies.predecessors(id).size();
    if (missing[id] == 0) ready.push_back(id);
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const OperatorId id = ready.back();
    ready.pop_back();
    order.push_back(id);
    for (const OperatorId next : dependencies.successors(id)) {
      if (--missing[next] == 0) ready.push_back(next);
    }
  }
  return order;
}

// --- Backward ---

TEST(TrainingGraph, IsForwardLossBackwardUpdate) {
  GraphCase c;
  const TensorId y = c.layer("b", c.relu("r", c.layer("a", c.x)));
  const Graph graph = training_graph(c.with_outputs({y}));
  EXPECT_NO_THROW(check(graph));
  EXPECT_EQ(labels(graph), (Names{"a F", "r", "b F", "loss", "loss backward", "b GI", "b GW", "r backward", "a GW",
                                  "a.weight update", "b.weight update"}));
  EXPECT_EQ(names(graph, find(graph, "loss").inputs), (Names{"b", "labels"}));
  EXPECT_EQ(names(graph, find(graph, "b GI").inputs), (Names{"gradient of b", "b.weight"}));
  EXPECT_EQ(names(graph, find(graph, "b GW").inputs), (Names{"r", "gradient of b"}));
  EXPECT_EQ(names(graph, find(graph, "r backward").inputs), (Names{"gradient of r", "r"}));
  EXPECT_EQ(names(graph, find(graph, "a GW").inputs), (Names{"x", "gradient of a"}));
  EXPECT_EQ(names(graph, find(graph, "a.weight update").inputs),
            (Names{"a.weight", "gradient of a.weight", "a.weight momentum"}));
}

//      +-> b -> r --+
// x-> a             add -> y -> out, and y -> s, which adds a once more
//      +-> c -------+
TEST(TrainingGraph, AddsUpTheGradientsOfADiamond) {
  GraphCase g;
  const TensorId a = g.layer("a", g.x);
  const TensorId r = g.add("r", ActivationOp{Activation::Sigmoid}, {g.layer("b", a)});
  const TensorId c = g.layer("c", a);
  const TensorId sum = g.add("sum", ArithmeticOp{}, {r, c, a});
  const Graph graph = training_graph(g.with_outputs({g.layer("out", sum)}));
  EXPECT_NO_THROW(check(graph));
  // The gradient of the sum has three receivers; a has three readers, and each contributes a part of its gradient.
  const Operator& parts = find(graph, "sum backward");
  EXPECT_EQ(names(graph, parts.inputs), (Names{"gradient of sum"}));
  EXPECT_EQ(names(graph, parts.outputs), (Names{"gradient of r", "gradient of c", "gradient of a"}));
  EXPECT_EQ(class_of(parts), OperatorClass::View);
  EXPECT_EQ(parts.bytes_read + parts.bytes_written + parts.flops, 0);
  for (const TensorId t : parts.outputs) EXPECT_EQ(storage(graph, t), parts.inputs[0]);
  const Operator& added = find(graph, "a gradient sum");
  EXPECT_EQ(names(graph, added.inputs), (Names{"gradient of a", "gradient of a (2)", "gradient of a (3)"}));
  EXPECT_EQ(std::tuple(added.flops, added.bytes_read, added.bytes_written), std::tuple(2 * 16, 3 * 64, 64));
  EXPECT_EQ(names(graph, find(graph, "a GW").inputs), (Names{"x", "gradient of a (sum)"}));
  // The sum is computed as soon as its parts exist: after the backward of b, the first reader of a.
  const Names order = labels(graph);
  EXPECT_EQ(std::find(order.begin(), order.end(), "b GW") + 1, std::find(order.begin(), order.end(), "a gradient sum"));
}

TEST(TrainingGraph, AddsUpTheGradientsOfASharedWeightAndUpdatesItOnce) {
  GraphCase c;
  const TensorId w = c.weight("w");
  const TensorId a = c.add("a", FullyConnectedOp{}, {c.x, w});
  const TensorId b = c.add("b", FullyConnectedOp{}, {a, w});
  for (const UpdateOrder updates : {UpdateOrder::AtEnd, UpdateOrder::AsReady}) {
    TrainingOptions options;
    options.updates = updates;
    GraphCase again = c;
    const Graph graph = training_graph(again.with_outputs({b}), options);
    EXPECT_EQ(labels(graph),
              (Names{"a F", "b F", "loss", "loss backward", "b GI", "b GW", "a GW", "w gradient sum", "w update"}));
    EXPECT_EQ(names(graph, find(graph, "w update").inputs), (Names{"w", "gradient of w (sum)", "w momentum"}));
  }
}

TEST(TrainingGraph, UpdatesAWeightWhenItIsReadyAndNotBeforeItsLastReader) {
  GraphCase c;
  const TensorId y = c.layer("b", c.layer("a", c.x));
  TrainingOptions options;
  options.updates = UpdateOrder::AsReady;
  const Graph graph = training_graph(c.with_outputs({y}), options);
  EXPECT_EQ(labels(graph), (Names{"a F", "b F", "loss", "loss backward", "b GI", "b GW", "b.weight update", "a GW",
                                  "a.weight update"}));
  // b GI reads the weights that the update overwrites.
  const Dependencies dependencies(graph);
  EXPECT_EQ(dependencies.predecessors(6), (std::vector<OperatorId>{1, 4, 5}));
}

TEST(TrainingGraph, OfSgdHasTheStateItNeeds) {
  GraphCase c;
  const Graph forward = c.with_outputs({c.layer("a", c.x)});
  TrainingOptions options;
  const auto update = [&] { return find(training_graph(forward, options), "a.weight update"); };
  // 16 words: v = momentum * v + (g + decay * w), w -= rate * v.
  EXPECT_EQ(std::tuple(update().flops, update().bytes_read, update().bytes_written),
            std::tuple(6 * 16, 3 * 64, 2 * 64));
  options.optimiser.weight_decay = 0;
  EXPECT_EQ(update().flops, 4 * 16);
  options.optimiser.momentum = 0;
  EXPECT_EQ(std::tuple(update().flops, update().bytes_read, update().bytes_written), std::tuple(2 * 16, 2 * 64, 64));
}

TEST(TrainingGraph, HasNoBackwardOfWhatDoesNotLeadToTheLoss) {
  GraphCase c;
  const TensorId a = c.layer("a", c.x);
  const TensorId side = c.layer("side", a);
  const TensorId main = c.layer("main", a);
  TrainingOptions options;
  options.loss = "main";
  const Graph graph = training_graph(c.with_outputs({side, main}), options);
  const Names order = labels(graph);
  EXPECT_EQ(std::count(order.begin(), order.end(), "side GW"), 0);
  EXPECT_EQ(std::count(order.begin(), order.end(), "side.weight update"), 0);
  EXPECT_EQ(std::count(order.begin(), order.end(), "a gradient sum"), 0);
  EXPECT_EQ(std::count(order.begin(), order.end(), "a GW"), 1);
}

// --- The loss ---

TEST(TrainingLoss, NeedsAChoiceAmongSeveralOutputs) {
  GraphCase c;
  const TensorId a = c.layer("a", c.x), b = c.layer("b", a);
  Graph forward = c.with_outputs({a, b});
  forward.file = "net.onnx";
  TrainingOptions options;
  EXPECT_EQ(test::message_of([&] { training_graph(forward, options); }),
            "net.onnx: loss: is missing: the network has several outputs; give one of a, b");
  options.loss = "c";
  EXPECT_EQ(test::message_of([&] { training_graph(forward, options); }),
            "net.onnx: loss: 'c' is no output of the network; its outputs are a, b");
  options.loss = "b";
  EXPECT_NO_THROW(training_graph(forward, options));
  forward.outputs.clear();
  EXPECT_EQ(test::message_of([&] { training_graph(forward, options); }),
            "net.onnx: loss: the network has no output that depends on its input");
}

TEST(TrainingLoss, NeedsClassesThatSomethingTrainedLeadsTo) {
  GraphCase untrained;
  const TensorId y = untrained.relu("y", untrained.x);
  EXPECT_EQ(test::message_of([&] { training_graph(untrained.with_outputs({y})); }),
            "case: loss: the output y depends on no trained layer");
  GraphCase flat({8});
  const TensorId z = flat.layer("z", flat.x);
  EXPECT_EQ(test::message_of([&] { training_graph(flat.with_outputs({z})); }),
            "case: loss: the output z is not known to hold a vector of classes for each image");
}

// 2 rows of 8 classes: 16 words of 4 bytes, 2 labels of 8 bytes.
TEST(TrainingLoss, TakesASoftmaxThatIsThereAsItsOwn) {
  const auto loss_of = [](const std::optional<SoftmaxOp>& softmax) {
    GraphCase c;
    TensorId y = c.layer("a", c.x);
    if (softmax) y = c.add("s", *softmax, {y});
    return training_graph(c.with_outputs({y}));
  };
  const Graph logits = loss_of(std::nullopt);
  EXPECT_EQ(find(logits, "loss").flops, 2 * (5 * 8 + 1));
  EXPECT_EQ(find(logits, "loss").bytes_read, 64 + 16);
  EXPECT_EQ(find(logits, "loss").bytes_written, 4 + 64);  // the loss and the log-softmax
  EXPECT_EQ(find(logits, "loss backward").bytes_read, 64 + 16);
  EXPECT_EQ(find(logits, "loss backward").bytes_written, 64);
  const Graph probabilities = loss_of(SoftmaxOp{2, 8, 1, false});
  EXPECT_EQ(find(probabilities, "loss").flops, 2 * 2);
  EXPECT_EQ(find(probabilities, "loss").bytes_written, 4);
  EXPECT_EQ(names(probabilities, find(probabilities, "s backward").inputs), (Names{"gradient of s", "s"}));
  const Graph logarithms = loss_of(SoftmaxOp{2, 8, 1, true});
  EXPECT_EQ(find(logarithms, "loss backward").bytes_read, 16);  // the labels only
}

// --- In place ---

TEST(InPlace, AReluWritesOverWhatOnlyItReads) {
  GraphCase c;
  const TensorId a = c.layer("a", c.x);
  const TensorId y = c.layer("b", c.relu("r", a));
  const Graph forward = c.with_outputs({y});
  const Graph graph = training_graph(forward);
  EXPECT_EQ(find(graph, "r").overwrites, (std::vector<TensorId>{a}));
  EXPECT_EQ(storage(graph, find(graph, "r").outputs[0]), a);
  TrainingOptions options;
  options.in_place = false;
  EXPECT_TRUE(find(training_graph(forward, options), "r").overwrites.empty());
}

TEST(InPlace, NothingIsLostThatSomebodyReads) {
  {  // another reader of the input of the ReLU
    GraphCase c;
    const TensorId a = c.layer("a", c.x);
    const TensorId y = c.add("y", ArithmeticOp{}, {c.relu("r", a), a});
    EXPECT_TRUE(find(training_graph(c.with_outputs({y})), "r").overwrites.empty());
  }
  {  // a reader through a view
    GraphCase c;
    const TensorId a = c.layer("a", c.x);
    const TensorId y = c.add("y", ArithmeticOp{}, {c.relu("r", a), c.layer("b", c.view("v", a))});
    EXPECT_TRUE(find(training_graph(c.with_outputs({y})), "r").overwrites.empty());
  }
  {  // the ReLU reads the view, which has no other reader
    GraphCase c;
    const TensorId a = c.layer("a", c.x), v = c.view("v", a);
    EXPECT_EQ(find(training_graph(c.with_outputs({c.layer("b", c.relu("r", v))})), "r").overwrites,
              (std::vector<TensorId>{v}));
  }
  {  // backward of a softmax reads its result
    GraphCase c;
    const TensorId s = c.add("s", SoftmaxOp{2, 8, 1, false}, {c.layer("a", c.x)});
    EXPECT_TRUE(find(training_graph(c.with_outputs({c.layer("b", c.relu("r", s))})), "r").overwrites.empty());
  }
  {  // the network's input and output are kept
    GraphCase c;
    const TensorId a = c.layer("a", c.relu("r", c.x));
    const TensorId y = c.relu("y", a);
    const Graph graph = training_graph(c.with_outputs({a, y}), [] {
      TrainingOptions options;
      options.loss = "y";
      return options;
    }());
    EXPECT_TRUE(find(graph, "r").overwrites.empty());
    EXPECT_TRUE(find(graph, "y").overwrites.empty());
  }
}

// --- Random graphs ---

// Returns layers with their own or shared weights, and operators of one and more operands, also with one operand twice.
Graph random_forward(std::mt19937& random) {
  GraphCase c;
  std::vector<TensorId> tensors{c.x}, weights;
  const auto any = [&] { return tensors[tensors.size() - 1 - random() % std::min<std::size_t>(tensors.size(), 4)]; };
  for (int i = 0, n = 3 + static_cast<int>(random() % 25); i < n; ++i) {
    const std::string name = fmt::format("n{}", i);
    switch (random() % 10) {
      case 0:
        tensors.push_back(c.layer(name, any()));
        weights.push_back(tensors.back() - 1);
        break;
      case 1:
      case 2:
        if (weights.empty()) break;
        tensors.push_back(c.add(name, FullyConnectedOp{}, {any(), weights[random() % weights.size()]}));
        break;
      case 3:
        tensors.push_back(c.add(name, ArithmeticOp{}, {any(), any(), any()}));
        break;
      case 4:
        tensors.push_back(c.add(name, ArithmeticOp{Arithmetic::Multiply}, {any(), any()}));
        break;
      case 5:
        tensors.push_back(c.view(name, any()));
        break;
      case 6:
        tensors.push_back(c.add(name, SoftmaxOp{2, 8, 1, false}, {any()}));
        break;
      default:
        tensors.push_back(c.relu(name, any()));
        break;
    }
  }
  return c.with_outputs({c.layer("out", any())});
}

TEST(RandomTrainingGraph, GivesEachWeightOneCompleteGradientInEveryLegalOrder) {
  std::mt19937 random(11);
  int in_place = 0, accumulated = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const Graph forward = random_forward(random);
    // Expected values from the definition: tensors on a path to the output, and the number of reads of each on the way.
    std::vector<bool> leads(forward.tensors.size());
    std::vector<std::size_t> uses(forward.tensors.size());
    leads[forward.outputs[0]] = true;
    for (auto op = forward.operators.rbegin(); op != forward.operators.rend(); ++op) {
      if (!leads[op->outputs[0]]) continue;
      for (const TensorId t : op->inputs) {
        leads[t] = true;
        ++uses[t];
      }
    }
    TrainingOptions options;
    options.updates = random() % 2 == 0 ? UpdateOrder::AtEnd : UpdateOrder::AsReady;
    options.gi_first = random() % 2 == 0;
    const Graph graph = training_graph(forward, options);
    ASSERT_NO_THROW(check(graph));

    std::map<TensorId, std::size_t> updates;
    for (const Operator& op : graph.operators) {
      if (!op.overwrites.empty() && op.direction == Direction::Forward) ++in_place;
      if (op.direction != Direction::Update) continue;
      ++updates[op.inputs[0]];
      // All parts of the gradient, through their sum.
      const Operator& last = graph.operators[*graph.tensors[op.inputs[1]].producer];
      const bool sum = std::holds_alternative<AccumulateOp>(last.what);
      EXPECT_EQ(sum ? last.inputs.size() : 1, uses[op.inputs[0]]);
      EXPECT_EQ(graph.tensors[op.inputs[1]].kind, TensorKind::WeightGradient);
      if (sum) ++accumulated;
    }
    for (TensorId t = 0; t < forward.tensors.size(); ++t) {
      const bool trained = forward.tensors[t].kind == TensorKind::Weight && leads[t];
      EXPECT_EQ(updates[t], trained ? 1U : 0U) << forward.tensors[t].name;
    }
    const Dependencies dependencies(graph);
    const std::vector<OperatorId> given = given_order(graph);
    EXPECT_TRUE(dependencies.allows(given));
    expect_runs(graph, given);
    for (int i = 0; i < 5; ++i) {
      const std::vector<OperatorId> order = random_order(dependencies, random);
      ASSERT_EQ(order.size(), graph.operators.size());
      EXPECT_TRUE(dependencies.allows(order));
      expect_runs(graph, order);
      EXPECT_GE(peak_memory(graph, order).bytes, 64);
    }
  }
  EXPECT_GT(in_place, 50);
  EXPECT_GT(accumulated, 50);
}

}  // namespace
}  // namespace weft::workloads
