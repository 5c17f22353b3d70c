#include "workloads/network.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/core/error.h"
#include "workloads/catalogue.h"
#include "workloads/lowering.h"

namespace weft::workloads {
namespace {

using conv::Kind;
using conv::Layer;

TEST(Batch, IsThatOfEveryLayerWhetherImportedWithItOrSetLater) {
  Network later = find_network("alexnet", {WEFT_NETWORKS}, {1, true});
  set_batch(later, 256);
  const Network imported = find_network("alexnet", {WEFT_NETWORKS}, {256, true});
  EXPECT_EQ(later.batch, 256);
  EXPECT_EQ(imported.batch, 256);
  for (std::size_t i = 0; i < imported.layers.size(); ++i) {
    EXPECT_EQ(imported.layers[i].batch, 256);
    EXPECT_EQ(later.layers[i].batch, 256);
  }
  for (std::size_t i = 0; i < imported.fc_layers.size(); ++i) {
    EXPECT_EQ(imported.fc_layers[i].batch, 256);
    EXPECT_EQ(later.fc_layers[i].batch, 256);
  }
}

TEST(Batch, KeepsTheImagesALayerSeesForEachOfTheNetworks) {
  Network network;
  network.batch = 2;
  network.layers.resize(1);
  network.layers[0].batch = 8;
  set_batch(network, 3);
  EXPECT_EQ(network.layers[0].batch, 12);
}

TEST(Batch, IsRefusedBelowOneAndBeyondWhatALayerCanHoldLeavingTheNetworkAsItWas) {
  Network network;
  network.layers.resize(2);
  network.layers[1].batch = 4;
  EXPECT_THROW(set_batch(network, 0), Error);
  EXPECT_THROW(set_batch(network, std::numeric_limits<int>::max()), Error);
  EXPECT_EQ(network.batch, 1);
  EXPECT_EQ(network.layers[0].batch, 1);
  Network empty;
  EXPECT_THROW(set_batch(empty, 0), Error);
}

TEST(FullyConnectedLayers, AreHostLayersUnlessTheyAreLowered) {
  const Network host = find_network("alexnet", {WEFT_NETWORKS});
  const Network lowered = find_network("alexnet", {WEFT_NETWORKS}, {4, true});
  EXPECT_TRUE(host.fc_layers.empty());
  EXPECT_EQ(host.host_layers.size(), lowered.host_layers.size() + 3);
  EXPECT_EQ(lowered.fully_connected.size(), 3U);
  ASSERT_EQ(lowered.fc_layers.size(), 3U);
  EXPECT_EQ(lowered.layers.size(), 5U);  // reported apart

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
  Layer layer;
  layer.name = "small";
  layer.channels = 4;
  layer.filters = 6;
  layer.groups = 2;
  layer.h = layer.w = {8, 3, 1, 1, 1, 1};
  return layer;
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
  refused([](Layer& l) { l.groups = 4; });  // divides the channels, not the filters
  refused([](Layer& l) { l.groups = 3; });  // divides the filters, not the channels
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

}  // namespace
}  // namespace weft::workloads
