#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels/fp32.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/fpgpt/sizing.h"
#include "model/memory/config.h"
#include "platform/designs/fpgpt/cosim/data_case.h"
#include "platform/designs/fpgpt/cosim/random_case.h"

namespace weft::test {

using cosim::pick;
using cosim::Random;
using cosim::random_axis;
using cosim::random_layer;
using fpgpt::Channels;
using fpgpt::DataCase;
using fpgpt::make_case;
using fpgpt::random_alpha;

// Gives the ports of every other seed widths of their own, of 64 to 1024 bits.
inline void draw_widths(std::uint64_t seed, fpgpt::Alpha& alpha) {
  Random random(seed * 0xA0761D6478BD642FULL + 3);
  if (pick(random, 0, 1) == 0) return;
  for (int& bits : alpha.port_bits) {
    bits = 32 << pick(random, 1, 5);
    if (bits == alpha.bus_bits) bits = 0;
  }
}

inline std::vector<float> contents(const memory::Store& store) {
  const float* const words = store.floats(store.first());
  return {words, words + store.bytes() / 4};
}

// Number format of a kernel and the packing of its numbers in memory.
struct Numbers {
  NumberFormat format;
  Packing packing = Packing::Packed;
};
// Returns fixed point of a random width for a seed.
inline Numbers fixed_point_of(std::uint64_t seed) {
  Random random(seed * 0xD1B54A32D192ED03ULL + 5);
  return {NumberFormat::fixed(pick(random, NumberFormat::kLeastFixedBits, NumberFormat::kMostFixedBits)),
          pick(random, 0, 1) ? Packing::Packed : Packing::Padded};
}

// Returns the random convolution of a seed on a random kernel, with random data: at most `most_products` products, so
// that a few hundred run in seconds (larger ones are redrawn). In fixed point, tensors begin with any word.
inline DataCase random_case(std::uint64_t seed, std::int64_t most_products = 400000,
                            const Channels& channels = {0, 1, 2}, const Numbers& numbers = {}) {
  Random random(seed);
  for (;;) {
    const conv::Layer layer = random_layer(random);
    const auto kind = static_cast<conv::Kind>(pick(random, 0, 2));
    const int group = pick(random, 0, layer.groups - 1);
    const conv::Convolution c = workloads::lower(layer, kind, group);
    if (c.a * c.n_inp * c.n_kern * c.out_map() * c.m() > most_products) continue;
    fpgpt::Alpha alpha = random_alpha(random);
    draw_widths(seed, alpha);
    alpha.format = numbers.format;
    alpha.packing = numbers.packing;
    fpgpt::Firsts firsts{};
    if (numbers.format.is_fixed()) {
      for (Address& first : firsts) first = 4 * pick(random, 0, 2000);
    }
    return make_case(layer, kind, group, fpgpt::fitted(alpha, c), seed, channels, firsts);
  }
}

// Returns a DDR4 memory of three channels for a kernel.
inline memory::MemoryConfig memory_of(const fpgpt::Alpha& alpha, const Channels& channels = {0, 1, 2}) {
  memory::MemoryConfig config;
  config.kernel_clock = alpha.clock;
  config.beat_bytes = alpha.beat_bytes(fpgpt::Port::Inp);
  for (const fpgpt::Port port : {fpgpt::Port::Inp, fpgpt::Port::Kern, fpgpt::Port::Out}) {
    if (!alpha.one_width()) config.port_beat_bytes.push_back(static_cast<int>(alpha.beat_bytes(port)));
  }
  config.port_channel = {channels.begin(), channels.end()};
  config.channels = 3;
  return config;
}

// Compares every bit of every word.
inline void expect_same_bits(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_EQ(bits(actual[i]), bits(expected[i])) << "word " << i;
}

// Compares the results of two rungs: everything but the number of skipped cycles.
inline void expect_same(const fpgpt::ConvolutionResult& a, const fpgpt::ConvolutionResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.drain_cycles, b.drain_cycles);
  EXPECT_EQ(a.limiter, b.limiter);
  for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
    EXPECT_EQ(a.activities[block].cycles, b.activities[block].cycles) << "block " << block;
  }
  EXPECT_EQ(a.array_starved, b.array_starved);
  for (std::size_t i = 0; i < fpgpt::kPeClasses; ++i) {
    EXPECT_EQ(a.pe_cycles[i], b.pe_cycles[i]) << fpgpt::kPeClassInfos[i].name;
  }
  for (std::size_t port = 0; port < fpgpt::kPorts; ++port) {
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      EXPECT_EQ(a.ports[port].*field.count, b.ports[port].*field.count)
          << fpgpt::to_string(static_cast<fpgpt::Port>(port)) << " " << field.name;
    }
  }
}

// Returns the class of the PE in `row` and `column` in the array cycle `q` of round `round`, if the array advances:
// PE-4 to PE-9 of CONTRACT.md, word by word.
inline fpgpt::PeClass class_of(const fpgpt::Plan& plan, std::int64_t round, std::int64_t q, int row, int column) {
  using fpgpt::PeClass;
  const conv::Convolution& c = plan.beta;
  const bool overlap = plan.alpha.profile.overlap_drain;
  const std::int64_t x = plan.alpha.x, y = plan.alpha.y, p = plan.spacing, m = c.m();
  const std::int64_t sets = (c.out_map() + x - 1) / x, groups = (c.n_kern + y - 1) / y;
  const std::int64_t all = overlap ? sets * groups * c.a * c.n_inp : sets;  // sets of a round
  const std::int64_t t = q - row;
  if (t < 0 || t >= (overlap ? (all - 1) * p + m : p * all)) return PeClass::FillDrain;
  if (t % p >= m) return PeClass::Gaps;
  const std::int64_t set = t / p + (overlap ? 0 : round * sets);  // index in the whole convolution
  const std::int64_t output = set % sets * x + column, kernel = set / sets % groups * y + row;
  if (output >= c.out_map()) return PeClass::UnusedColumns;
  if (kernel >= c.n_kern) return PeClass::UnusedRows;
  const std::int64_t columns = c.w.kern_dilated(), position = t % p % (columns * c.h.kern_dilated());
  const auto i = static_cast<int>(position / columns), j = static_cast<int>(position % columns);
  const auto o = static_cast<int>(output / c.w.out), u = static_cast<int>(output % c.w.out);
  const bool kern_stored = i % c.h.kern_dilation == 0 && j % c.w.kern_dilation == 0;
  return kern_stored && c.h.sample(o, i) >= 0 && c.w.sample(u, j) >= 0 ? PeClass::Useful : PeClass::Zeros;
}

// Adds the array cycle to `to`, PE by PE.
inline void add_array_cycle(const fpgpt::Plan& plan, std::int64_t round, std::int64_t q, fpgpt::PeCycles& to) {
  for (int row = 0; row < plan.alpha.y; ++row) {
    for (int column = 0; column < plan.alpha.x; ++column) {
      ++to[static_cast<std::size_t>(class_of(plan, round, q, row, column))];
    }
  }
}

}  // namespace weft::test
