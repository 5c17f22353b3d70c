#include "model/fpgpt/parts.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "model/conv/loop_nest.h"
#include "model/core/error.h"
#include "model/fpgpt/sizing.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {
namespace {

using conv::Kind;

constexpr std::array<Kind, 3> kKinds{Kind::F, Kind::GI, Kind::GW};

// Two groups of 6 channels and 10 filters each, 3 x 3, over 7 x 5 padded samples.
conv::Layer layer() {
  return {"l", 2, 12, 20, 2, {7, 3, 1, 1, 1, 1}, {5, 3, 1, 1, 1, 1}};
}

bool held(const Alpha& alpha, const conv::Convolution& beta) {
  try {
    refuse_beyond(alpha, beta);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// F and GW, 10 filters of the second group in parts of 4: KERN of F are filters of 6*9 words after those of group 0,
// OUT of F maps of 35 words. KERN of GW are gradients of 35 words, OUT filters.
TEST(Parts, AreViewsOfTheTensorsOfTheWhole) {
  const conv::Convolution f = workloads::lower(layer(), Kind::F, 1), gw = workloads::lower(layer(), Kind::GW, 1);
  const std::vector<conv::Convolution> of_f = parts_of(f, 4), of_gw = parts_of(gw, 4);
  ASSERT_EQ(of_f.size(), 3U);
  ASSERT_EQ(of_gw.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto first = static_cast<std::int64_t>(4 * i), count = i == 2 ? 2 : std::int64_t{4};
    conv::Convolution part = f;
    part.n_kern = count;
    part.useful_macs = f.useful_macs / 10 * count;
    part.kern.first = (10 + first) * 6 * 9;
    part.out.first = (10 + first) * 35;
    EXPECT_TRUE(of_f[i] == part) << i;
    part = gw;
    part.n_kern = count;
    part.useful_macs = gw.useful_macs / 10 * count;
    part.kern.first = (10 + first) * 35;
    part.out.first = (10 + first) * 6 * 9;
    EXPECT_TRUE(of_gw[i] == part) << i;
  }
}

// GI has 6 channels in parts of 4 and 2: dense tensors of (10, 4, 3, 3) and (10, 2, 3, 3), one after the other.
TEST(Parts, OfGiHaveDenseKern) {
  const std::vector<conv::Convolution> parts = parts_of(workloads::lower(layer(), Kind::GI, 1), 4);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].kern.first, 10 * 6 * 9);
  EXPECT_EQ(parts[1].kern.first, 10 * 6 * 9 + 10 * 4 * 9);
  EXPECT_EQ(parts[0].kern.pitch_n, 4 * 9);
  EXPECT_EQ(parts[1].kern.pitch_n, 2 * 9);
  EXPECT_EQ(parts[1].out.first, (6 + 4) * 35);
}

TEST(Parts, TogetherComputeTheWhole) {
  std::mt19937 random(1);
  const auto values = [&](Words count) {
    std::vector<float> all(static_cast<std::size_t>(count));
    for (float& each : all) each = std::uniform_real_distribution<float>(-1, 1)(random);
    return all;
  };
  for (const Kind kind : kKinds) {
    const conv::Convolution whole = workloads::lower(layer(), kind, 1);
    const workloads::TensorWords words = workloads::tensor_words(layer(), kind);
    const std::vector<float> inp = values(words.inp), kern = values(words.kern);
    const auto compute = [&](const std::vector<conv::Convolution>& launches, const std::vector<float>& kern_words) {
      std::vector<float> out(static_cast<std::size_t>(words.out));
      for (const conv::Convolution& each : launches) {
        conv::run_loop_nest<conv::FloatSum>(each, {inp.data(), words.inp}, {kern_words.data(), words.kern},
                                            {out.data(), words.out});
      }
      return out;
    };
    for (const std::int64_t tensors : {1, 4, 9}) {
      const std::vector<conv::Convolution> parts = parts_of(whole, tensors);
      std::vector<float> stored = kern;
      const auto first = static_cast<std::size_t>(whole.kern.first);
      if (kind == Kind::GI) order_for_parts(whole, parts, &kern[first], &stored[first]);
      EXPECT_EQ(compute(parts, stored), compute({whole}, kern)) << to_string(kind) << " " << tensors;
    }
  }
}

// The most KERN tensors that fit are found by trying all numbers of Y-groups, and the fewest launches too.
TEST(Parts, AreTheFewestThatTheSizesHold) {
  std::mt19937 random(2);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int split = 0;
  for (int round = 0; round < 3000; ++round) {
    conv::Layer l = layer();
    l.batch = pick(1, 2);
    l.groups = 1;
    l.channels = pick(1, 40);
    l.filters = pick(1, 40);
    const conv::Convolution beta = workloads::lower(l, kKinds.at(static_cast<std::size_t>(pick(0, 2))));
    Alpha alpha;
    alpha.x = pick(1, 9);
    alpha.y = pick(1, 9);
    alpha = fitted(alpha, beta);
    for (Words Alpha::*size : {&Alpha::k_range, &Alpha::kern_words, &Alpha::out_words}) {
      if (pick(0, 1) == 0) alpha.*size = alpha.*size * pick(1, 12) / 10;
    }
    std::int64_t most = held(alpha, beta) ? beta.n_kern : 0;
    for (std::int64_t count = alpha.y; most < beta.n_kern && count < beta.n_kern; count += alpha.y) {
      if (held(alpha, part_of(beta, 0, count))) most = count;
    }
    ASSERT_EQ(most_tensors(alpha, beta), most) << round;
    const conv::Convolution first = first_launch(alpha, beta);
    if (most == 0) {
      EXPECT_TRUE(first == beta);
      continue;
    }
    const std::vector<conv::Convolution> parts = parts_of(beta, first.n_kern);
    const std::int64_t groups = ceil_div(beta.n_kern, alpha.y);
    EXPECT_EQ(static_cast<std::int64_t>(parts.size()), ceil_div(groups, ceil_div(most, alpha.y))) << round;
    EXPECT_TRUE(parts.size() == 1 || first.n_kern % alpha.y == 0);
    EXPECT_LE(parts.back().n_kern, first.n_kern);
    std::int64_t tensors = 0;
    for (const conv::Convolution& part : parts) {
      EXPECT_TRUE(held(alpha, part)) << round;
      tensors += part.n_kern;
    }
    EXPECT_EQ(tensors, beta.n_kern);
    split += parts.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(split, 300);
}

// 10 Y-groups of 4 and at most 6 of them: two launches of 5. 9 groups, the last of 3 tensors, and at most 4: three
// of 3.
TEST(Parts, AreAsEvenAsTheyGo) {
  Alpha alpha;
  alpha.y = 4;
  conv::Convolution beta;
  beta.n_kern = 40;
  EXPECT_EQ(even_part(alpha, beta, 24), 20);
  EXPECT_EQ(even_part(alpha, beta, 40), 40);
  beta.n_kern = 35;
  EXPECT_EQ(even_part(alpha, beta, 16), 12);
  EXPECT_EQ(parts_of(beta, 12).back().n_kern, 11);
}

}  // namespace
}  // namespace weft::fpgpt
