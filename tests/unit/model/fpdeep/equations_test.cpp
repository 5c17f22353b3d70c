#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "model/core/error.h"
#include "model/fpdeep/assignment.h"
#include "model/fpdeep/storage.h"
#include "tests/support/texts.h"

namespace weft::fpdeep {
namespace {

conv::Layer square(const char* name, int channels, int size, int filters) {
  const conv::LayerAxis axis{size, 3, 1, 1, 1, 1};
  return {name, 1, channels, filters, 1, axis, axis};
}

// Layers one after the other, with a pool where one reads fewer words than the one before it gives. `after`: words
// that the consumer of the last layer reads.
Chain row_of(const std::vector<conv::Layer>& layers, Words after, bool gi_first) {
  std::vector<Node> nodes;
  Words given = 0;
  const auto add = [&](Node::Kind kind, Words output) {
    nodes.push_back({kind, {nodes.empty() ? kImage : nodes.size() - 1}, given = output});
  };
  for (const conv::Layer& layer : layers) {
    const Words read = Words{layer.channels} * layer.h.size * layer.w.size;
    if (!nodes.empty() && read != given) add(Node::Kind::Pool, read);
    add(Node::Kind::Layer, Words{layer.filters} * layer.h.out() * layer.w.out());
  }
  if (after != given) add(Node::Kind::Pool, after);
  return chain_of(layers, nodes, gi_first);
}

// a: 1 x 4 x 4, 2 filters of 9 words: 16 pixels * 18 weights = 288 MACs, in F and GW 576; writes 32 words.
// b: after a 2 x 2 pool 2 x 2 x 2, 4 filters of 18 words: 4 * 72 = 288 MACs, in F, GI and GW 864; writes 16 words.
Chain two_layers() {
  return row_of({square("a", 1, 4, 2), square("b", 2, 2, 4)}, 16, false);
}

LinkReading with(Partition partition, Features features = Features::Unpooled) {
  return {features, Cuts::Inner, partition};
}

TEST(Chain, CountsTheWorkOfThePassesThatAreTrained) {
  const Chain chain = two_layers();
  EXPECT_EQ(chain.layers[0].work(), 576);
  EXPECT_EQ(chain.layers[1].work(), 864);
  EXPECT_EQ(chain.weights(), 18 + 72);
  EXPECT_EQ(row_of({square("a", 1, 4, 2)}, 32, true).work(), 864);  // with GI of the first layer
}

TEST(Chain, RefusesANetworkWithoutLayersAndJoinsOfTheImage) {
  EXPECT_THROW(chain_of({}, {}, false), Error);
  EXPECT_EQ(test::message_of([&] {
              chain_of({square("a", 1, 4, 1)}, {{Node::Kind::Layer, {kImage}}, {Node::Kind::Join, {0, kImage}}}, false);
            }),
            "a pool, sum or concatenation reads the image: only convolutions can");
}

// 1440 / 5 = 288 per board: half of a; a; a and 288 / 864 of b; 576 / 864 of b.
TEST(Cuts, DivideTheWorkEvenly) {
  const std::vector<Cut> cuts = even_cuts(two_layers(), 5);
  ASSERT_EQ(cuts.size(), 4U);
  const std::vector<std::pair<std::size_t, Rational>> expected{{0, {1, 2}}, {0, 1}, {1, {1, 3}}, {1, {2, 3}}};
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    EXPECT_EQ(cuts[i].board, static_cast<int>(i) + 1);
    EXPECT_EQ(cuts[i].layer, expected[i].first) << i;
    EXPECT_EQ(cuts[i].left, expected[i].second) << i;
  }
  EXPECT_TRUE(even_cuts(two_layers(), 1).empty());
}

// a half left: output features 16 + 32 / 2, input features 16 / 2 + 32. b two thirds left: 32 + 16 * 2/3 = 128/3, and
// 32 / 3 + 16 = 80/3; features as b and its reader read them: 8 + 16 * 2/3 = 56/3, and 8 / 3 + 16 = 56/3.
TEST(Links, CarryWhatThePartitionSends) {
  const Chain chain = two_layers();
  const Cut half{1, 0, {1, 2}}, after{2, 0, 1}, late{4, 1, {2, 3}};
  EXPECT_EQ(link_words(chain, half, with(Partition::Output)).most(), 32);
  EXPECT_EQ(link_words(chain, half, with(Partition::Input)).most(), 40);
  EXPECT_EQ(link_words(chain, half, with(Partition::Better)).most(), 32);
  EXPECT_EQ(link_words(chain, late, with(Partition::Output)).most(), Rational(128, 3));
  EXPECT_EQ(link_words(chain, late, with(Partition::Better)).most(), Rational(80, 3));
  EXPECT_EQ(link_words(chain, late, with(Partition::Better)).partition, Partition::Input);
  EXPECT_EQ(link_words(chain, late, with(Partition::Better, Features::Pooled)).left, Rational(56, 3));
  EXPECT_EQ(link_words(chain, after, with(Partition::Better)).right, 32);
  EXPECT_EQ(link_words(chain, after, with(Partition::Better, Features::Pooled)).right, 8);
}

// Words per image of the busiest of 2 to 5 boards by the better partition, from the cuts at fractions of 1440 / N:
// 2: b 1/6, 32 + 16/6 = 104/3; 3: a 5/6, 16/6 + 32 = 104/3; 4: a 5/8, 16 + 20 = 36; 5: b 1/3, 32 + 16/3 = 112/3.
TEST(Scaling, EndsWhereALinkIsFull) {
  const Chain chain = two_layers();
  const LinkReading reading = with(Partition::Better);
  EXPECT_FALSE(busiest(chain, 1, reading));
  EXPECT_EQ(link_words(chain, *busiest(chain, 2, reading), reading).most(), Rational(104, 3));
  EXPECT_EQ(link_words(chain, *busiest(chain, 4, reading), reading).most(), 36);
  EXPECT_EQ(busiest(chain, 5, reading)->board, 3);
  // At one image per second and board, 16 bits per word: 4 boards need 36 * 16 * 4 = 2304 bits per second.
  EXPECT_EQ(linear_boards(chain, reading, 1, 2304, 16, 100), 4);
  EXPECT_EQ(linear_boards(chain, reading, 1, 2303, 16, 100), 3);
  EXPECT_EQ(linear_boards(chain, reading, 1, 2304, 16, 2), 2);
  EXPECT_DOUBLE_EQ(images_per_second(chain, 4, reading, 1, 1152, 16), 2);
  // Between layers alone 32 words cross, however many boards there are: 7 * 32 * 16 = 3584.
  const LinkReading boundaries{Features::Unpooled, Cuts::Boundaries, Partition::Better};
  EXPECT_EQ(linear_boards(chain, boundaries, 1, 3584, 16, 100), 7);
  EXPECT_EQ(linear_boards(chain, boundaries, 1, 3583, 16, 100), 6);
}

// Two boards: the cut at 1/6 of b is nearest to 1 of its 4 filters. With 12 DSPs the first board needs, at 79 cycles, 5
// for each of a's two passes (4 cycles for 18 weights) and 1 for each of b's three (19 for 18), 13 in all; at 80 it is
// 2 * 4 + 3 = 11. The second board has 54 weights on 4 DSPs per pass: 14 cycles for each of 4 pixels.
TEST(Assignment, GivesWholeFiltersTheDspsThatTakeLeast) {
  const std::vector<BoardWork> boards = assign(two_layers(), 2, 12);
  ASSERT_EQ(boards.size(), 2U);
  ASSERT_EQ(boards[0].parts.size(), 2U);
  EXPECT_EQ(std::tuple(boards[0].parts[0].filters(), boards[0].parts[0].dsp, boards[0].parts[0].cycles),
            std::tuple(2, 4, 5 * 16));
  EXPECT_EQ(boards[0].parts[1].filters(), 1);
  EXPECT_EQ(boards[0].parts[1].cycles, 18 * 4);
  EXPECT_EQ(boards[0].cycles, 80);
  EXPECT_EQ(boards[0].dsp, 11);
  EXPECT_EQ(boards[1].parts[0].first, 1);
  EXPECT_EQ(boards[1].cycles, 56);
  EXPECT_EQ(boards[1].dsp, 12);
  EXPECT_EQ(period(boards), 80);
  EXPECT_DOUBLE_EQ(balance(boards), 68. / 80);
}

TEST(Assignment, RefusesWhatABoardCannotHold) {
  EXPECT_EQ(test::message_of([&] { assign(two_layers(), 2, 4); }),
            "board 1 has 5 passes of layers, more than its 4 DSPs");
  EXPECT_EQ(test::message_of([&] { assign(two_layers(), 7, 100); }),
            "6 filters are too few for 7 boards: use fewer boards");
  // 6 boards for 6 filters: one each.
  for (const BoardWork& board : assign(two_layers(), 6, 100)) EXPECT_EQ(board.parts.front().filters(), 1);
}

// k - p = 2: a lags by (1 row of 4 and 2) / 16 = 3/8 of an image, b by (1 row of 2 and 2) / 4 = 1; there and back
// twice. In whole rows a lags by 2/4, b by 2/2.
TEST(Storage, KeepsFeaturesForTheLagToTheEndAndBack) {
  const Chain chain = two_layers();
  EXPECT_DOUBLE_EQ(residence(chain, 0, Lag::Pixels), 2.75);
  EXPECT_DOUBLE_EQ(residence(chain, 1, Lag::Pixels), 2);
  EXPECT_DOUBLE_EQ(residence(chain, 0, Lag::Rows), 3);
}

// The first board has a and one filter of four of b. Features 2.75 * 16 + 2 * 8 / 4 = 48; two times 2 rows of 4 words
// of a, of b 2 * 2 * 4 / 4: 20. The second board has the rest of b.
class TwoBoards : public testing::Test {
 protected:
  const Chain chain = two_layers();
  const std::vector<BoardWork> boards = assign(chain, 2, 12);
  const std::vector<Storage> stored = storage(chain, boards, {Features::Pooled});
};

TEST_F(TwoBoards, CountTheWordsOfEach) {
  EXPECT_EQ(std::tuple(stored[0].weights, stored[0].gradients, stored[0].features), std::tuple(18 + 18, 36, 48));
  EXPECT_EQ(stored[0].lines, 20);
  EXPECT_EQ(stored[1].all(), 54 + 54 + 12 + 12);
  EXPECT_EQ(storage(chain, boards, {Features::Pooled, Gradients::Shared})[0].all(), 140 - 36);
  // The features of b, counted as a computes them, are 32 words in place of 8: 2 * 32 / 4, and 2 * 32 * 3 / 4.
  EXPECT_EQ(storage(chain, boards, {})[0].features, 44 + 16);
  EXPECT_EQ(storage(chain, boards, {})[1].features, 48);
}

// 140 and 132 words: with 136 per board they fit, 4 of the first board stored elsewhere; with 135 there are 2 too many.
// The excess is fetched once per image, or for each of the rows that need it: b's outputs have 2.
TEST_F(TwoBoards, StoreForEachOther) {
  const Balanced fits = balance_storage(chain, boards, stored, 136, WeightFetch::Image);
  EXPECT_TRUE(fits.fits);
  EXPECT_EQ(std::tuple(fits.fullest, fits.excess, fits.fetched),
            std::tuple(0U, (std::vector<Words>{4, 0}), (std::vector<Words>{4, 0})));
  EXPECT_EQ(balance_storage(chain, boards, stored, 136, WeightFetch::Row).fetched[0], 8);
  const Balanced over = balance_storage(chain, boards, stored, 135, WeightFetch::Image);
  EXPECT_FALSE(over.fits);
  EXPECT_EQ(over.all - over.room, 2);
}

// A board's share of the words of a layer is in proportion to its filters: words times filters must fit 64 bits.
TEST(Storage, CountsWordsUpToALimitAndNoFurther) {
  Chain chain = two_layers();
  chain.layers[0].input = Words{1} << 40;
  chain.layers[0].filters = 1 << 20;
  BoardWork board;
  board.parts.emplace_back();
  board.parts[0].last = 1 << 20;
  // 2.75 images of 2^40 words; 2 * 2 rows of 2^38 words.
  const Storage stored = storage(chain, {board}, {Features::Pooled})[0];
  EXPECT_EQ(stored.features, (Words{11} << 38));
  EXPECT_EQ(stored.lines, Words{1} << 40);
  chain.layers[0].filters = board.parts[0].last = 1 << 22;
  EXPECT_THROW(storage(chain, {board}, {Features::Pooled}), checked::Overflow);
}

TEST_F(TwoBoards, CountTheWordsOfAllUpToALimitAndNoFurther) {
  constexpr Words kMost = std::numeric_limits<Words>::max();
  EXPECT_EQ(balance_storage(chain, boards, stored, kMost / 2, WeightFetch::Image).room, kMost - 1);
  EXPECT_THROW(balance_storage(chain, boards, stored, kMost / 2 + 1, WeightFetch::Image), checked::Overflow);
}

// A residual and two branches that are concatenated, of 4 x 4 pixels each:
//   a: 1 -> 2 channels; b: 2 -> 2; sum of a and b; c: 2 -> 4; d: 1 x 1, 2 -> 2; c and d joined: 6; e: 1 x 1, 6 -> 1.
Chain branches() {
  const conv::LayerAxis point{4, 1, 1, 0, 0, 1};
  using K = Node::Kind;
  return chain_of({square("a", 1, 4, 2),
                   square("b", 2, 4, 2),
                   square("c", 2, 4, 4),
                   {"d", 1, 2, 2, 1, point, point},
                   {"e", 1, 6, 1, 1, point, point}},
                  {{K::Layer, {kImage}},
                   {K::Layer, {0}},
                   {K::Join, {0, 1}, 32},
                   {K::Layer, {2}},
                   {K::Layer, {2}},
                   {K::Join, {3, 4}, 96},
                   {K::Layer, {5}}},
                  false);
}

// Words of a 32, b 32, the sum 32, c 64, d 32, the concatenation 96, e 16. Within b, a crosses as a whole, because the
// sum also reads it; within c, d reads the sum later; within d, c waits to be joined and d is the last to read the sum.
TEST(Branches, CrossALinkOnce) {
  const Chain chain = branches();
  const auto words = [&](std::size_t layer, Rational left, Partition partition) {
    return link_words(chain, {1, layer, left}, with(partition)).right;
  };
  const std::vector<Words> boundaries{32, 32, 32 + 64, 96};
  for (std::size_t layer = 0; layer < boundaries.size(); ++layer) {
    EXPECT_EQ(words(layer, 1, Partition::Better), boundaries[layer]) << layer;
  }
  EXPECT_EQ(words(0, {1, 2}, Partition::Output), 16 + 16);
  EXPECT_EQ(words(1, {1, 4}, Partition::Output), 32 + 8);
  EXPECT_EQ(words(1, {1, 4}, Partition::Input), 32 + 32);
  EXPECT_EQ(words(2, {1, 4}, Partition::Output), 32 + 16);
  EXPECT_EQ(words(2, {1, 4}, Partition::Input), 32 + 64);
  EXPECT_EQ(words(3, {3, 4}, Partition::Output), 64 + 32 + 24);
  EXPECT_EQ(words(3, {3, 4}, Partition::Input), 64 + 8 + 32);
  EXPECT_EQ(words(3, {3, 4}, Partition::Better), 64 + 8 + 32);
}

// Lags of a, b, c: (1 row of 4 and 2) / 16 = 3/8; of d, e: 1/16. The longest way from a: a, b, c, e.
TEST(Branches, KeepFeaturesForTheLongestWay) {
  const Chain chain = branches();
  const std::vector<double> images{2 * 19. / 16, 2 * 13. / 16, 2 * 7. / 16, 2 * 2. / 16, 2 * 1. / 16};
  for (std::size_t layer = 0; layer < images.size(); ++layer) {
    EXPECT_DOUBLE_EQ(residence(chain, layer, Lag::Pixels), images[layer]) << layer;
  }
}

// Boards: a and b; half of c; the other half, d and e. Before the sum, a waits for b: 3/8 of 32 words. Before the
// concatenation, d waits for c: (6 - 1) / 16 of 32. On the way back, the sum's gradient of a waits for b's: 3/8 of 32;
// d's of the sum waits for c's: 5/16 of 32, on the last board. That of c is as late on both boards.
TEST(Branches, WaitForTheLatest) {
  const Chain chain = branches();
  std::vector<BoardWork> boards(3);
  const auto part = [](std::size_t layer, int first, int last) {
    Part part;
    part.layer = layer;
    part.first = first;
    part.last = last;
    return part;
  };
  boards[0].parts = {part(0, 0, 2), part(1, 0, 2)};
  boards[1].parts = {part(2, 0, 2)};
  boards[2].parts = {part(2, 2, 4), part(3, 0, 2), part(4, 0, 1)};
  const std::vector<Storage> stored = storage(chain, boards, {});
  EXPECT_EQ(std::tuple(stored[0].waiting, stored[1].waiting, stored[2].waiting), std::tuple(12 + 12, 0, 10 + 10));
  EXPECT_EQ(stored[0].features, 38 + 52);      // 19/8 of 16 words and 13/8 of 32
  EXPECT_EQ(stored[1].features, 14);           // half of 7/8 of 32
  EXPECT_EQ(stored[2].features, 14 + 8 + 12);  // and 2/8 of 32, 1/8 of 96
  EXPECT_EQ(stored[2].all(), 2 * (36 + 4 + 6) + 34 + (2 * 2 * 8 / 2) + 20);
  // With d alone on the third board, its gradient is sent and waits on the second, where c's arrives.
  boards[1].parts = {part(2, 0, 4)};
  boards[2].parts = {part(3, 0, 2), part(4, 0, 1)};
  EXPECT_EQ(storage(chain, boards, {})[1].waiting, 10);
  EXPECT_EQ(storage(chain, boards, {})[2].waiting, 10);
}

// a, a pool of 32 to 8 words, b and c that read the pool, their sum. Unpooled, a crosses up to c; pooled, the pool.
// If the sum reads a as well, a part of a is sent as it is computed.
TEST(Branches, AfterAPoolReadItsInputOrItsOutput) {
  using K = Node::Kind;
  const std::vector<conv::Layer> layers{square("a", 1, 4, 2), square("b", 2, 2, 2), square("c", 2, 2, 2)};
  std::vector<Node> nodes{
      {K::Layer, {kImage}}, {K::Pool, {0}, 8}, {K::Layer, {1}}, {K::Layer, {1}}, {K::Join, {2, 3}, 8}};
  const Chain chain = chain_of(layers, nodes, false);
  const auto words = [](const Chain& of, std::size_t layer, Rational left, Features features) {
    return link_words(of, {1, layer, left}, with(Partition::Output, features)).right;
  };
  EXPECT_EQ(words(chain, 0, 1, Features::Unpooled), 32);
  EXPECT_EQ(words(chain, 1, 1, Features::Unpooled), 32 + 8);
  EXPECT_EQ(words(chain, 0, 1, Features::Pooled), 8);
  EXPECT_EQ(words(chain, 1, 1, Features::Pooled), 8 + 8);
  EXPECT_EQ(words(chain, 0, {1, 2}, Features::Pooled), 16 + 4);
  nodes[4].inputs = {2, 3, 0};
  EXPECT_EQ(words(chain_of(layers, nodes, false), 0, {1, 2}, Features::Pooled), 16 + 16);
  EXPECT_EQ(words(chain_of(layers, nodes, false), 0, 1, Features::Pooled), 8 + 32);
}

}  // namespace
}  // namespace weft::fpdeep
