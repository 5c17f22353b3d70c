#include "model/pipeline/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/exact.h"
#include "model/pipeline/stepped.h"
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

// Networks of residuals, concatenations, strides and pools in random order.
class RandomNetworks {
 public:
  explicit RandomNetworks(std::uint32_t seed) : random_(seed) {}

  int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }

  std::vector<TrainingLayer> next() {
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
        ++concatenations_;
      } else if (what < 2) {
        at = add(Kind::Windowed, {at}, between(0, 1) == 0 ? 1 : 3, between(1, 2));
      } else {
        const std::size_t far = add(Kind::Windowed, {at}, 3, 1);
        net[far].filters = net[at].filters;
        at = add(Kind::Sum, {far, at}, 1, 1);
      }
    }
    if (between(0, 1) == 0) add(Kind::Whole, {at}, 1, 1);
    return net;
  }
  int concatenations() const { return concatenations_; }

 private:
  std::mt19937 random_;
  int concatenations_ = 0;
};

TEST(Training, OfRandomNetworksRunsAtThePlannedRate) {
  RandomNetworks networks(7);
  int planned = 0;
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    Training sized = training(networks.next());
    size_fifos(sized);
    EXPECT_EQ(simulate(sized.pipeline, 100).recurrence->period(), slowest(sized.pipeline));
    EXPECT_EQ(period(sized.pipeline), slowest(sized.pipeline));
    planned += slowest(sized.pipeline) == sized.entities ? 1 : 0;
  }
  EXPECT_GT(planned, 30);
  EXPECT_GT(networks.concatenations(), 10);
}

// Two boards: conv and same on the first, add and fc on the second. 5 bytes of 8 ns and a frame of 4 more take whole
// cycles of 8 ns; a pixel of 4 words of a byte is a packet.
Boards two_boards() {
  Boards boards;
  boards.board_of = {0, 0, 1, 1, 1};
  boards.word_bits = 8;
  boards.link.frames.byte_ps = 8000;
  boards.link.frames.payload = 4;
  boards.link.frames.overhead = 1;
  boards.link.clock = 125;
  return boards;
}

std::vector<std::string> names(const Training& net, const std::vector<FifoId>& ids) {
  std::vector<std::string> result;
  result.reserve(ids.size());
  for (const FifoId id : ids) result.push_back(net.pipeline.fifos[id].name);
  return result;
}

// 'add' reads conv and same. Each of them crosses the link once, and its gradient comes back once. The two of them
// share each wire: 2 * 36 packets of 5 cycles, more than the 252 of the slowest entity.
TEST(Boards, SendATensorOnceAndItsGradientBack) {
  const Boards boards = two_boards();
  Training net = training(small(), 0, &boards);
  EXPECT_EQ(names(net, net.links), (std::vector<std::string>{"conv to board 2", "same to board 2",
                                                             "same gradient to board 1", "conv gradient to board 1"}));
  EXPECT_EQ(slowest(net.pipeline), 2 * 36 * 5);
  EXPECT_EQ(size_fifos(net).simulated.recurrence->period(), 2 * 36 * 5);
  // With all layers but the last on the second board the image and nothing else crosses: one stream needs no arbiter.
  Boards late = boards;
  late.board_of = {1, 1, 1, 1, 1};
  EXPECT_TRUE(training(small(), 0, &late).links.empty());
  late.board_of = {0, 1, 1, 1, 1};
  Training one = training(small(), 0, &late);
  EXPECT_EQ(names(one, one.links), (std::vector<std::string>{"conv to board 2", "conv gradient to board 1"}));
  EXPECT_FALSE(one.pipeline.shared());
}

// Names of the blocks that give to a block, in order.
std::vector<std::string> givers(const Training& net, const std::string& to) {
  std::vector<std::string> result;
  for (const Fifo& fifo : net.pipeline.fifos) {
    if (net.pipeline.blocks[fifo.to].name == to) result.push_back(net.pipeline.blocks[fifo.from].name);
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Over a board between them: conv goes to board 2, and from there to board 3.
TEST(Boards, PassATensorOnToFartherReaders) {
  Boards boards = two_boards();
  boards.board_of = {0, 1, 2, 2, 2};
  const Training net = training(small(), 0, &boards);
  EXPECT_EQ(names(net, net.links), (std::vector<std::string>{"conv to board 2", "conv to board 3", "same to board 3",
                                                             "same gradient to board 2", "conv gradient to board 2",
                                                             "conv gradient to board 1"}));
  // Board 2 adds the gradient of its own reader to the one that arrives, and sends their sum.
  EXPECT_EQ(givers(net, "conv gradients on board 2"),
            (std::vector<std::string>{"conv gradient to board 2 depacketiser", "same GI lines"}));
  EXPECT_EQ(givers(net, "conv gradient to board 1 packetiser"), std::vector<std::string>{"conv gradients on board 2"});
}

// The image (3 bytes a pixel), conv and the pooled pixel (4 bytes each) are written and read. At 2 bytes a cycle and
// 8 a transfer: 2 pixels of the image in 3 cycles, 2 of conv in 4, the pooled one in 2. Twice 18 * 3 + 18 * 4 + 2.
TEST(Boards, ShareTheDramOfABoard) {
  Boards boards = two_boards();
  boards.board_of = {0, 0, 0, 0, 0};
  boards.transfer = 8;
  boards.dram = {2};
  Training net = training(small(), 0, &boards);
  const auto dram = std::find_if(net.pipeline.blocks.begin(), net.pipeline.blocks.end(),
                                 [](const Block& block) { return block.name == "DRAM 1"; });
  ASSERT_NE(dram, net.pipeline.blocks.end());
  EXPECT_EQ(dram->cycles(), 2 * (18 * 3 + 18 * 4 + 2));
  EXPECT_EQ(size_fifos(net).simulated.recurrence->period(), slowest(net.pipeline));
  // The weights of fc, 40 words, are read for F and GI and read and written for GW: 5, 5 and 10 transfers of 4 cycles.
  std::vector<TrainingLayer> layers = small();
  layers.back().weights_in_dram = true;
  const Training fetching = training(layers, 0, &boards);
  EXPECT_EQ(slowest(fetching.pipeline), 2 * (18 * 3 + 18 * 4 + 2) + 20 * 4);
}

// A fifth of the frames is lost: 7 or 8 of 36 in an image, each sent again after 50 cycles.
TEST(Boards, WaitForFramesThatAreSentAgain) {
  Boards boards = two_boards();
  boards.board_of = {0, 1, 1, 1, 1};
  Training net = training(small(), 0, &boards);
  const Cycles without = slowest(net.pipeline);
  size_fifos(net);
  boards.faults.lost = 200'000;
  boards.faults.resend_after = 50;
  Training lossy = training(small(), 0, &boards);
  for (FifoId id = 0; id < net.pipeline.fifos.size(); ++id) {
    lossy.pipeline.fifos[id].depth = net.pipeline.fifos[id].depth;
  }
  const Simulated simulated = simulate(lossy.pipeline, 200);
  EXPECT_GT(simulated.period(), without);
  // Each wait of a stream is over before its next frame that is lost: at most 7.2 of them in a row.
  EXPECT_LE(simulated.period(), without + 36 * Rational(1, 5) * 60 * 2);
  boards.faults.lost = 0;
  Training same = training(small(), 0, &boards);
  for (FifoId id = 0; id < net.pipeline.fifos.size(); ++id) {
    same.pipeline.fifos[id].depth = net.pipeline.fifos[id].depth;
  }
  EXPECT_EQ(simulate(same.pipeline, 200).period(), without);
}

// Every step has the same time if all blocks are stepped cycle by cycle.
TEST(Boards, OfRandomNetworksHaveTheSameTimesStepByStep) {
  RandomNetworks networks(11);
  int shared = 0, links = 0;
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(i);
    const std::vector<TrainingLayer> layers = networks.next();
    Boards boards = two_boards();
    boards.board_of.clear();
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      boards.board_of.push_back(static_cast<std::size_t>(networks.between(0, 2)));
    }
    if (networks.between(0, 1) == 0) boards.dram = {2, Rational(7, 3), 5};
    boards.transfer = networks.between(1, 9);
    if (networks.between(0, 1) == 0) boards.faults = {1, 70'000, 300'000, 21, 5};
    Training net = training(layers, 0, &boards);
    shared += net.pipeline.shared() ? 1 : 0;
    links += static_cast<int>(net.links.size());
    std::vector<std::vector<std::pair<Cycles, Cycles>>> times;
    SimulateOptions watched;
    watched.times = &times;
    constexpr std::int64_t kImages = 3;
    simulate(net.pipeline, kImages, watched);
    SteppedPipeline stepped(net.pipeline, kImages);
    for (Cycles now = 0; !stepped.done() && now < 100'000; ++now) {
      for (SteppedBlock& block : stepped.blocks) block.step(now);
    }
    for (BlockId id = 0; id < times.size(); ++id) {
      EXPECT_EQ(times[id], stepped.blocks[id].times()) << net.pipeline.blocks[id].name;
    }
  }
  EXPECT_GT(shared, 10);
  EXPECT_GT(links, 60);
}

}  // namespace
}  // namespace weft::pipeline
