#include "model/conv/window.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <random>
#include <string>

#include "model/conv/loop_nest.h"
#include "workloads/lowering.h"
#include "workloads/onnx/import.h"

namespace weft::conv {
namespace {

// Geometry by its definition, output by output and position by position.
struct Literal {
  Words z = 1, z_channel = 1;
  std::vector<Words> set_start;
};
Literal literal_geometry(const Convolution& c, int x) {
  Literal g;
  for (std::int64_t first = 0; first < c.out_map(); first += x) {
    const std::int64_t last = std::min<std::int64_t>(first + x, c.out_map()) - 1;
    Words set_low = std::numeric_limits<Words>::max(), set_high = -1;
    for (int i = 0; i < c.h.kern_dilated(); ++i) {
      for (int j = 0; j < c.w.kern_dilated(); ++j) {
        Words low = std::numeric_limits<Words>::max(), high = -1;
        for (std::int64_t o = first; o <= last; ++o) {
          const std::int64_t row = o / c.w.out, column = o % c.w.out;
          const std::int64_t y = row * c.h.stride - c.h.pad_begin + i, z = column * c.w.stride - c.w.pad_begin + j;
          if (y < 0 || y % c.h.inp_dilation != 0 || y / c.h.inp_dilation >= c.h.inp) continue;
          if (z < 0 || z % c.w.inp_dilation != 0 || z / c.w.inp_dilation >= c.w.inp) continue;
          const Words address = y / c.h.inp_dilation * c.w.inp + z / c.w.inp_dilation;
          low = std::min(low, address);
          high = std::max(high, address);
        }
        if (high < 0) continue;
        g.z = std::max(g.z, high - low + 1);
        set_low = std::min(set_low, low);
        set_high = std::max(set_high, high);
      }
    }
    if (set_high >= 0) g.z_channel = std::max(g.z_channel, set_high - set_low + 1);
    g.set_start.push_back(set_high >= 0 ? set_low : 0);
  }
  return g;
}

void expect_literal(const Convolution& c, int x, const Literal& expected) {
  const WindowGeometry geometry = window_geometry(c, x);
  ASSERT_EQ(geometry.z, expected.z);
  ASSERT_EQ(geometry.z_channel, expected.z_channel);
  ASSERT_EQ(set_starts(c, x), expected.set_start);
}

std::string text(const Axis& a) {
  return fmt::format("inp {} kern {} out {} stride {} pad {} dilations {} {}", a.inp, a.kern, a.out, a.stride,
                     a.pad_begin, a.inp_dilation, a.kern_dilation);
}

Layer random_layer(std::mt19937& random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto axis = [&] {
    LayerAxis a;
    a.kernel = pick(1, 7);
    a.stride = pick(1, 4);
    a.dilation = pick(1, 3);
    a.pad_begin = pick(0, a.kernel);  // a pad of the whole kernel: outputs that touch no sample
    a.pad_end = pick(0, a.kernel);
    a.size = std::max(1, a.kernel_extent() - a.pad_begin - a.pad_end) + pick(0, 12);
    return a;
  };
  Layer layer;
  layer.h = axis();
  layer.w = axis();
  return layer;
}

TEST(WindowGeometry, IsTheLiteralDefinitionOnRandomConvolutions) {
  std::mt19937 random(20240612);
  int compared = 0, untouched = 0;
  for (int i = 0; i < 200; ++i) {
    const Layer layer = random_layer(random);
    for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) {
      const Convolution c = workloads::lower(layer, kind);
      for (const int x : {1, 2, 3, 5, 7, 16, 64, 1000}) {
        SCOPED_TRACE(fmt::format("{} x {} h {} w {}", to_string(kind), x, text(c.h), text(c.w)));
        const Literal expected = literal_geometry(c, x);
        expect_literal(c, x, expected);
        if (HasFatalFailure()) return;
        untouched += expected.set_start.size() > 1 && expected.set_start.back() == 0;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 200 * 3 * 8);
  EXPECT_GT(untouched, 10);
}

// Strides and dilations of INP and KERN together, which no layer has, windows that miss all samples, and padding that
// crops.
TEST(WindowGeometry, IsTheLiteralDefinitionOnRandomAxes) {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int i = 0; i < 1500; ++i) {
    const int most = i % 3 == 0 ? 5 : 20;
    const auto axis = [&] {
      const int dilation = pick(0, 1) == 0 ? 1 : pick(1, 9), stride = dilation > 1 && pick(0, 2) > 0 ? 1 : pick(1, 6);
      return Axis{pick(1, most), pick(1, 4), pick(1, most), stride, pick(-4, 6), dilation, pick(1, 3)};
    };
    Convolution c;
    c.h = axis();
    c.w = axis();
    for (const int x : {1, 2, 3, 4, 5, 6, 8, 11, 17, 64, 500}) {
      SCOPED_TRACE(fmt::format("case {} x {} h {} w {}", i, x, text(c.h), text(c.w)));
      expect_literal(c, x, literal_geometry(c, x));
      if (HasFatalFailure()) return;
    }
  }
}

Convolution googlenet(const std::string& layer_name, Kind kind) {
  for (const Layer& layer : workloads::find_network("googlenet", {WEFT_SOURCE_DIR "/configs/networks"}).layers) {
    if (layer.name == layer_name) return workloads::lower(layer, kind);
  }
  ADD_FAILURE() << layer_name;
  return {};
}

// 28x28, 3x3, padding 1: KERN is 28x28, OUT 3x3. The first set of seven outputs wraps two rows. Its first and its last
// output, which the shortcut checks, are in OUT's first column and so miss INP's last: words 0 to 782. The outputs
// between them reach word 783.
TEST(WindowGeometry, SeesTheOutputsBetweenTheEndsOfASetThatWrapsARow) {
  const Convolution c = googlenet("inception3a.branch2.1.conv", Kind::GW);
  ASSERT_EQ(c.h.inp, 28);
  ASSERT_EQ(c.h.out, 3);
  EXPECT_EQ(window_geometry(c, 7).z_channel, 784);
}

TEST(WindowGeometry, OfA1x1ConvolutionIsTheSetItself) {
  const Convolution c = googlenet("conv2.conv", Kind::F);  // 56x56
  const WindowGeometry g = window_geometry(c, 16);
  EXPECT_EQ(g.z, 16);
  EXPECT_EQ(g.z_channel, 16);
  const std::vector<Words> starts = set_starts(c, 16);
  ASSERT_EQ(starts.size(), 196U);
  for (std::size_t set = 0; set < starts.size(); ++set) EXPECT_EQ(starts[set], static_cast<Words>(16 * set));
}

double seconds_for(const std::string& network, int x) {
  const auto layers = workloads::find_network(network, {WEFT_SOURCE_DIR "/configs/networks"}).layers;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& [layer, kind] : workloads::training_convolutions(layers)) {
    EXPECT_GE(window_geometry(workloads::lower(layers[layer], kind), x).z, 1);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Start-up computes the geometry of every convolution. The limit is ten times the time of an idle machine.
TEST(WindowGeometry, OfAWholeNetworkIsThereAtOnce) {
  for (const std::string network : {"googlenet", "vgg16", "alexnet", "mobilenet_v2"}) {
    for (const int x : {1, 16}) {
      const double seconds = seconds_for(network, x);
      fmt::print("{} x {}: {:.4f} s\n", network, x, seconds);
      EXPECT_LT(seconds, 0.3) << network << " x " << x;
    }
  }
}

// Maps of 2^32 outputs, with wide and narrow windows, strides and dilations: together a few seconds of processor time,
// less than one loop over the outputs of one map.
TEST(WindowGeometry, OfAHugeMapIsThereAtOnce) {
  constexpr int kSide = 65536;
  const std::vector<LayerAxis> axes{{kSide, 3, 1, 1, 1, 1},
                                    {kSide, 3, 2, 1, 1, 1},
                                    {kSide, 7, 3, 3, 3, 5},
                                    {kSide, kSide, 1, 0, 0, 1},
                                    {kSide / 8, kSide / 8, 1, kSide / 8, 0, 1},
                                    {kSide, kSide / 8, 1, 0, 0, 1},
                                    {kSide, 1, kSide / 2, 0, 0, 1},
                                    {kSide, 3, 1, 0, 0, kSide / 4},
                                    {kSide, kSide / 8, 255, 9, 9, 1},
                                    {1, 1, 1, 0, 0, 1}};
  const std::clock_t begin = std::clock();
  int compared = 0;
  for (const LayerAxis& h : axes) {
    for (const LayerAxis& w : axes) {
      Layer layer;
      layer.h = h;
      layer.w = w;
      for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) {
        const Convolution c = workloads::lower(layer, kind);
        for (const int x : {1, 15, 4096, 100000}) {
          EXPECT_LE(window_geometry(c, x).z_channel, Words{c.h.inp} * c.w.inp);
          ++compared;
        }
      }
    }
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  fmt::print("{} geometries: {:.3f} s\n", compared, seconds);
  EXPECT_LT(seconds, 20);
}

TEST(StoredPairs, AreThoseThatTheAxisSays) {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const Axis axis{pick(1, 20), pick(1, 9), pick(1, 20), pick(1, 6), pick(-5, 12), pick(1, 6), pick(1, 6)};
    std::int64_t pairs = 0;
    for (int outputs = 0; outputs <= axis.out; ++outputs) {
      ASSERT_EQ(stored_pairs(axis, outputs), pairs)
          << fmt::format("inp {} kern {} outputs {} stride {} pad {} dilations {} {}", axis.inp, axis.kern, outputs,
                         axis.stride, axis.pad_begin, axis.inp_dilation, axis.kern_dilation);
      for (int k = 0; k < axis.kern; ++k) pairs += axis.sample(outputs, k * axis.kern_dilation) >= 0 ? 1 : 0;
      ++compared;
    }
  }
  EXPECT_GT(compared, 20000);
}

// Millions of outputs and samples of KERN: a loop over their pairs would take an hour.
TEST(StoredPairs, OfAHugeAxisAreThereAtOnce) {
  constexpr std::int64_t kSide = 1 << 22;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(stored_pairs({2 * kSide - 1, kSide, kSide, 1, 0, 1, 1}, kSide), kSide * kSide);
  EXPECT_EQ(stored_pairs({kSide, kSide, kSide, 1, 0, 1, 1}, kSide), kSide * (kSide + 1) / 2);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5);
}

}  // namespace
}  // namespace weft::conv
