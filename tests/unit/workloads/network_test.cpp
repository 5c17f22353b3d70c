#include "workloads/network.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/core/error.h"
#include "tests/support/texts.h"
#include "workloads/lowering.h"
#include "workloads/onnx/import.h"

namespace weft::workloads {
namespace {

using conv::Kind;
using conv::Layer;

TEST(Batch, IsThatOfEveryLayer) {
  const Network imported = find_network("alexnet", {WEFT_SOURCE_DIR "/configs/networks"}, {256, true});
  EXPECT_EQ(imported.batch, 256);
  for (const Layer& layer : imported.layers) EXPECT_EQ(layer.batch, 256);
  for (const Layer& layer : imported.fc_layers) EXPECT_EQ(layer.batch, 256);
}

TEST(FullyConnectedLayers, AreHostLayersUnlessTheyAreLowered) {
  const Network host = find_network("alexnet", {WEFT_SOURCE_DIR "/configs/networks"});
  const Network lowered = find_network("alexnet", {WEFT_SOURCE_DIR "/configs/networks"}, {4, true});
  EXPECT_TRUE(host.fc_layers.empty());
  EXPECT_EQ(host.host_layers.size(), lowered.host_layers.size() + 3);
  EXPECT_EQ(lowered.fully_connected.size(), 3U);
  ASSERT_EQ(lowered.fc_layers.size(), 3U);
  EXPECT_EQ(lowered.layers.size(), 5U);  // reported separately

  const Layer& fc = lowered.fc_layers[0];
  EXPECT_EQ(fc.name, "classifier.1");
  EXPECT_EQ(fc.batch, 4);
  EXPECT_EQ(fc.channels, 9216);
  EXPECT_EQ(fc.filters, 4096);
  EXPECT_EQ(macs(fc), std::int64_t{4} * 9216 * 4096);
  EXPECT_EQ(lower(fc, Kind::F).out_map(), 1);
  EXPECT_EQ(lower(fc, Kind::GW).out_words(), std::int64_t{9216} * 4096);
}

TEST(FullyConnectedLayers, AreRefusedWhenTheyDoNotFitALayer) {
  FullyConnected fc;
  fc.in_features = std::int64_t{1} << 31;
  EXPECT_THROW(as_convolution(fc, 1), Error);
  fc = {};
  fc.rows = std::int64_t{1} << 30;
  EXPECT_THROW(as_convolution(fc, 2), Error);
}

Layer small_layer() {
  const conv::LayerAxis axis{8, 3, 1, 1, 1, 1};
  return {"small", 1, 4, 6, 2, axis, axis};
}

TEST(Lowering, PlacesEachGroupBehindTheOneBefore) {
  Layer layer = small_layer();
  layer.batch = 5;
  const auto groups = lower_groups(layer, Kind::F);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].inp.first, 0);
  EXPECT_EQ(groups[1].inp.first, 2 * 64);      // two channels of 8x8 words
  EXPECT_EQ(groups[1].kern.first, 3 * 2 * 9);  // three filters of two 3x3 maps
  EXPECT_EQ(groups[1].out.first, 3 * 64);
  EXPECT_EQ(groups[1].inp.pitch_n, 4 * 64);  // an image holds both groups
}

TEST(Lowering, RefusesLayersWithoutOutputGroupsThatDoNotDivideAndGroupsThatAreNotThere) {
  EXPECT_NO_THROW(lower(small_layer(), Kind::F, 1));
  EXPECT_THROW(lower(small_layer(), Kind::F, 2), Error);
  EXPECT_THROW(lower(small_layer(), Kind::F, -1), Error);

  const auto refused = [](auto change) {
    Layer layer = small_layer();
    change(layer);
    EXPECT_THROW(lower(layer, Kind::GI), Error);
    EXPECT_THROW(lower_groups(layer, Kind::GI), Error);
    EXPECT_THROW(tensor_words(layer, Kind::GI), Error);
  };
  refused([](Layer& l) { l.groups = 4; });  // divides the channels but not the filters
  refused([](Layer& l) { l.groups = 3; });  // divides the filters but not the channels
  refused([](Layer& l) { l.groups = 0; });
  refused([](Layer& l) { l.batch = 0; });
  refused([](Layer& l) { l.w.stride = 0; });
  refused([](Layer& l) { l.w.dilation = 5; });  // 11 positions over 10
  refused([](Layer& l) { l.h.pad_end = -1; });
  refused([](Layer& l) { l.h.dilation = std::numeric_limits<int>::max(); });  // its extent overflows an int
  refused([](Layer& l) { l.h.pad_begin = l.h.pad_end = std::numeric_limits<int>::max(); });
  refused([](Layer& l) {  // 2^60 words
    l.batch = 1 << 30;
    l.channels = l.filters = 1 << 24;
  });
}

// Returns a layer with one large tensor; its other tensors have at most 2^20 words.
Layer layer_of(int batch, int channels, int filters, int map) {
  return {"big", batch, channels, filters, 1, {map}, {}};
}

TEST(Lowering, AllowsSoManyWordsOfATensorAndNoMore) {
  constexpr int kMost = std::numeric_limits<int>::max();
  // 2^31 - 1 filters of 512 channels are 2^40 - 512 words; 2^24 channels of 2^16 filters are 2^40.
  EXPECT_EQ(tensor_words(layer_of(1, 512, kMost, 1), Kind::F).kern, (Words{1} << 40) - 512);
  EXPECT_EQ(macs(layer_of(1, 512, kMost, 1)), (Words{1} << 40) - 512);
  EXPECT_EQ(lower(layer_of(1, 512, kMost, 1), Kind::GI).useful_macs, (Words{1} << 40) - 512);
  EXPECT_EQ(tensor_words(layer_of(1, 1 << 24, 1 << 16, 1), Kind::GW).out, Words{1} << 40);
  EXPECT_EQ(tensor_words(layer_of(1 << 10, 1 << 20, 1, 1 << 10), Kind::F).inp, Words{1} << 40);
  EXPECT_EQ(tensor_words(layer_of(1 << 10, 1, 1 << 20, 1 << 10), Kind::F).out, Words{1} << 40);
  const auto refusal = [](const Layer& layer) { return test::message_of([&] { check(layer); }); };
  const std::string rest = " more than 2^40 words, the most that are allowed: give smaller sizes or a smaller batch";
  EXPECT_EQ(refusal(layer_of(1, 513, kMost, 1)), "layer big: its weights have" + rest);
  EXPECT_EQ(refusal(layer_of(1, 1 << 24, kMost, 1)), "layer big: its weights have" + rest);
  EXPECT_EQ(refusal(layer_of((1 << 10) + 1, 1 << 20, 1, 1 << 10)), "layer big: its input has" + rest);
  EXPECT_EQ(refusal(layer_of((1 << 10) + 1, 1, 1 << 20, 1 << 10)), "layer big: its output has" + rest);
}

// 2^20 by 2^20 weights over 2^18 samples.
TEST(Lowering, AllowsSoManyProductsAndNoMore) {
  Layer layer = layer_of(1, 1 << 20, 1 << 20, 1 << 18);
  EXPECT_EQ(macs(layer), std::int64_t{1} << 58);
  EXPECT_EQ(too_much(layer), "");
  layer.h.size += 1;
  EXPECT_EQ(too_much(layer),
            "layer big: its convolution has more than 2^58 multiply-accumulates, the most that are allowed: give "
            "smaller sizes or a smaller batch");
}

// A window of 2 x 2 samples that spans 2^24 by 2^24 positions, in 2^10 channels.
TEST(Lowering, AllowsSoManyPositionsOfAWindowAndNoMore) {
  Layer layer = layer_of(1, 1 << 9, 1, 1);
  for (conv::LayerAxis* axis : {&layer.h, &layer.w}) {
    axis->kernel = 2;
    axis->dilation = axis->pad_end = (1 << 24) - 1;
  }
  EXPECT_EQ(lower(layer, Kind::F).m(), std::int64_t{1} << 57);
  layer.channels = (1 << 10) + 1;
  EXPECT_EQ(too_much(layer).rfind("layer big: its padded maps have more than 2^58 words", 0), 0U);
}

// 2^29 elements, 2^32 times: 2^61 products are counted, 2^63 are refused.
TEST(Macs, AreCountedOrRefused) {
  Layer layer = layer_of(1 << 30, 1 << 30, 1, 2);
  EXPECT_EQ(macs(layer), std::int64_t{1} << 61);
  layer.h.size = 8;
  EXPECT_THROW(macs(layer), Error);
}

}  // namespace
}  // namespace weft::workloads
