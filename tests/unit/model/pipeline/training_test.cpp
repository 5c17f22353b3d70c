#include "model/pipeline/training.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/exact.h"
#include "tests/support/texts.h"

namespace weft::pipeline {
namespace {

using Kind = TrainingLayer::Kind;

conv::LayerAxis axis(int size, int kernel = 1, int stride = 1, int pad = 0) {
  return {size, kernel, stride, pad, pad, 1};
}

// Returns a convolution, its residual, global pooling and a fully connected layer.
std::vector<TrainingLayer> small() {
  return {{"conv", Kind::Windowed, {kNetworkInput}, axis(6, 3, 1, 1), axis(6, 3, 1, 1), 3, 4, 5, 5, 7},
          {"same", Kind::Windowed, {0}, axis(6, 3, 1, 1), axis(6, 3, 1, 1), 4, 4, 3, 4, 4},
          {"add", Kind::Sum, {1, 0}, axis(6), axis(6), 4, 4, 1, 1, 0},
          {"pool", Kind::Whole, {2}, axis(6), axis(6), 4, 4, 1, 1, 0},
          {"fc", Kind::Windowed, {3}, axis(1), axis(1), 4, 10, 20, 20, 20}};
}

// The slowest entity is GW of 'conv', 36 pixels of 7 cycles. FIFOs as deep as their fill without bounds leave the time
// of every step unchanged.
TEST(Training, RunsAtThePlannedRateWithTheFifosThatItIsGiven) {
  Training net = training(small());
  EXPECT_EQ(net.entities, 36 * 7);
  EXPECT_EQ(slowest(net.pipeline), net.entities);
  // conv, same and fc have stores; add and pool have no weights.
  ASSERT_EQ(net.stores.size(), 3U);
  std::vector<std::vector<std::pair<Cycles, Cycles>>> unbounded, sized;
  SimulateOptions watched;
  watched.times = &unbounded;
  simulate(net.pipeline, 8, watched);
  const Depths depths = size_fifos(net);
  watched.times = &sized;
  simulate(net.pipeline, 8, watched);
  EXPECT_EQ(sized, unbounded);
  EXPECT_EQ(period(net.pipeline), net.entities);
  Words stores = 0;
  for (const FifoId id : net.stores) stores += net.pipeline.fifos[id].depth * net.token_words[id];
  EXPECT_EQ(depths.stores, stores);
  // Pooling needs the whole image before the first gradient arrives (rule 1). Of its 36 pixels GW's line buffer (lag 8)
  // has read 7 without a window, 10 for waiting windows, one for a window without a place: 18 are left for the store.
  const FifoId store = net.stores.back();
  EXPECT_EQ(net.pipeline.fifos[store].name, "conv store");
  EXPECT_GT(net.pipeline.fifos[store].depth, 18);
  net.pipeline.fifos[store].depth = 18;
  EXPECT_NO_THROW(simulate(net.pipeline, 3));
  net.pipeline.fifos[store].depth = 17;
  EXPECT_THROW(simulate(net.pipeline, 3), Deadlock);
}

// Two branches of 4 and 6 channels make pixels of 10; each branch receives its own part of a gradient.
TEST(Training, ConcatenationsJoinChannelsAndPartTheirGradients) {
  std::vector<TrainingLayer> net{
      {"stem", Kind::Windowed, {kNetworkInput}, axis(6, 3, 1, 1), axis(6, 3, 1, 1), 3, 5, 2, 2, 3},
      {"one", Kind::Windowed, {0}, axis(6), axis(6), 5, 4, 4, 3, 4},
      {"nine", Kind::Windowed, {0}, axis(6, 3, 1, 1), axis(6, 3, 1, 1), 5, 6, 3, 5, 4},
      {"join", Kind::Concatenation, {1, 2}, axis(6), axis(6), 10, 10, 1, 1, 0},
      {"last", Kind::Windowed, {3}, axis(6), axis(6), 10, 2, 6, 4, 4}};
  Training sized = training(net);
  size_fifos(sized);
  EXPECT_EQ(sized.entities, 36 * 6);
  EXPECT_EQ(period(sized.pipeline), sized.entities);
  EXPECT_EQ(simulate(sized.pipeline, 100).recurrence->period(), sized.entities);
  const auto words = [&](const std::string& name) {
    for (FifoId id = 0; id < sized.pipeline.fifos.size(); ++id) {
      if (sized.pipeline.fifos[id].name == name) return sized.token_words[id];
    }
    return Words{-1};
  };
  EXPECT_EQ(words("one F -> join"), 4);
  EXPECT_EQ(words("nine F -> join"), 6);
  EXPECT_EQ(words("join -> join fork"), 10);
  EXPECT_EQ(words("join gradient fork -> one gradient fork"), 4);
  EXPECT_EQ(words("join gradient fork -> nine gradient fork"), 6);
  net[3].channels = net[3].filters = 9;
  EXPECT_EQ(test::message_of([&] { training(net); }),
            "layer 'join' reads 36 pixels of 9 channels, but receives 36 of 10");
}

TEST(Training, RefusesWhatDoesNotFit) {
  std::vector<TrainingLayer> net = small();
  net[1].channels = 5;
  EXPECT_EQ(test::message_of([&] { training(net); }),
            "layer 'same' reads 36 pixels of 5 channels, but receives 36 of 4");
  net = small();
  net[1].inputs = {2};
  EXPECT_THROW(training(net), Error);
  EXPECT_THROW(training(small(), 251), Error);
  EXPECT_EQ(period(training(small(), 300).pipeline), 300);
  EXPECT_THROW(training({}), Error);
}

// Networks of residuals, strides and pools in random order.
TEST(Training, OfRandomNetworksRunsAtThePlannedRate) {
  std::mt19937 random(7);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  int planned = 0, concatenations = 0;
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    std::vector<TrainingLayer> net;
    int size = between(5, 8);
    const auto add = [&](Kind kind, std::vector<std::size_t> inputs, int kernel, int stride) {
      TrainingLayer layer;
      layer.name = "layer" + std::to_string(net.size());
      layer.kind = kind;
      layer.inputs = std::move(inputs);
      layer.h = layer.w = axis(size, kernel, stride, kernel / 2);
      if (layer.inputs[0] != kNetworkInput) layer.channels = net[layer.inputs[0]].filters;
      if (kind != Kind::Windowed) layer.filters = layer.channels;
      const bool weights = kind == Kind::Windowed && between(0, 4) > 0;
      layer.f = between(2, 6);
      layer.gi = between(2, 6);
      layer.gw = weights ? between(2, 6) : 0;
      net.push_back(layer);
      size = kind == Kind::Whole ? 1 : layer.h.out();
      return net.size() - 1;
    };
    std::size_t at = add(Kind::Windowed, {kNetworkInput}, 3, 1);
    for (int parts = between(1, 3); parts > 0; --parts) {
      const int what = between(0, 3);
      if (what == 3) {
        const std::size_t one = add(Kind::Windowed, {at}, 1, 1), nine = add(Kind::Windowed, {at}, 3, 1);
        at = add(Kind::Concatenation, {one, nine}, 1, 1);
        net[at].channels = net[at].filters = net[one].filters + net[nine].filters;
        ++concatenations;
      } else if (what < 2) {
        at = add(Kind::Windowed, {at}, between(0, 1) == 0 ? 1 : 3, between(1, 2));
      } else {
        const std::size_t far = add(Kind::Windowed, {at}, 3, 1);
        net[far].filters = net[at].filters;
        at = add(Kind::Sum, {far, at}, 1, 1);
      }
    }
    if (between(0, 1) == 0) add(Kind::Whole, {at}, 1, 1);
    Training sized = training(net);
    size_fifos(sized);
    EXPECT_EQ(simulate(sized.pipeline, 100).recurrence->period(), slowest(sized.pipeline));
    EXPECT_EQ(period(sized.pipeline), slowest(sized.pipeline));
    planned += slowest(sized.pipeline) == sized.entities ? 1 : 0;
  }
  EXPECT_GT(planned, 30);
  EXPECT_GT(concatenations, 10);
}

}  // namespace
}  // namespace weft::pipeline
