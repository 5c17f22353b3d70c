#include "platform/cosim/random_case.h"

#include <cmath>
#include <optional>

#include "kernels/fpgpt/fp32.h"
#include "model/core/error.h"
#include "platform/cosim/random_layer.h"

namespace weft::cosim {

namespace {

constexpr std::int64_t kMostProducts = 60000;
constexpr int kMostDraws = 200000;

Random random_of(std::uint64_t seed, int build, int number) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(build), static_cast<std::uint32_t>(number)};
  return Random(sequence);
}

Surroundings random_surroundings(Random& random, const fpgpt::Alpha& alpha) {
  constexpr std::array<Frequency, 4> kClocks{Frequency{100, 1}, {300, 1}, {250, 1}, {1000, 3}};
  Surroundings s;
  s.memory.kernel_clock = kClocks.at(static_cast<std::size_t>(pick(random, 0, 3)));
  s.memory.beat_bytes = alpha.beat_bytes();
  s.channels = {0, pick(random, 0, 1), pick(random, 0, 2)};
  s.memory.port_channel = {s.channels[0], s.channels[1], s.channels[2]};
  s.memory.channels = 3;
  s.memory.latency_cycles = pick(random, 0, 30);
  s.memory.ideal_latency_cycles = pick(random, 0, 9);
  s.memory.kind = pick(random, 0, 1) ? memory::MemoryKind::ddr4 : memory::MemoryKind::ideal;
  s.memory.ddr4.auto_precharge_a3 = pick(random, 0, 1) != 0;
  s.refuse_percent = pick(random, 0, 3) * 30;
  s.seed = random();
  return s;
}

// Half of the cases keep their uniform values. The others: exponents far apart, so that sums lose whole operands;
// mantissas of at most 13 bits, so that products and sums lie halfway between two numbers; zeros, subnormals,
// infinities, NaN; powers of two and others whose products lie some 25 binary places apart, where rounding is decided.
void shape_values(Random& random, DataCase& data) {
  const auto change = [&](const auto& changed) {
    for (memory::Store& store : data.memory.channels) {
      for (Address at = 0; at < store.bytes(); at += 4) *store.words(at) = changed(*store.words(at));
    }
  };
  constexpr std::array<std::uint32_t, 8> kSpecial{0x00000000, 0x80000000, 0x00000001, 0x807FFFFF,
                                                  0x7F7FFFFF, 0x7F800000, 0xFF800000, 0xFFC12345};
  switch (pick(random, 0, 7)) {
    case 0:
      return change([&](float value) { return std::ldexp(value, pick(random, -20, 20)); });
    case 1:
      return change([&](float value) {
        const float steps = std::ldexp(1.0F, pick(random, 0, 3) ? 13 : pick(random, 0, 12));
        return std::ldexp(std::round(value * steps) / steps, pick(random, 0, 1) ? 0 : pick(random, -13, 13));
      });
    case 2:
      return change([&](float value) {
        return pick(random, 0, 199) ? value
                                    : fpgpt::from_bits(kSpecial.at(static_cast<std::size_t>(pick(random, 0, 7))));
      });
    case 3:
      return change([&](float value) {
        constexpr std::array<int, 5> kExponents{-13, -12, 0, 12, 13};
        const float magnitude = pick(random, 0, 1) ? 1.0F : 1.0F + std::fabs(value);
        return std::copysign(std::ldexp(magnitude, kExponents.at(static_cast<std::size_t>(pick(random, 0, 4)))), value);
      });
    default:
      return;
  }
}

// One draw; nothing if the kernel cannot hold it.
std::optional<RandomCase> draw(Random& random, const fpgpt::Alpha& alpha) {
  const conv::Layer layer = random_layer(random);
  const auto kind = static_cast<conv::Kind>(pick(random, 0, 2));
  const int group = pick(random, 0, layer.groups - 1);
  const std::uint64_t seed = random();
  const conv::Convolution c = workloads::lower(layer, kind, group);
  if (c.a * c.n_inp * c.n_kern * c.out_map() * c.m() > kMostProducts) return std::nullopt;
  if (ceil_div(c.out_map(), alpha.x) > kRandomMaxSets) return std::nullopt;
  RandomCase result;
  result.surroundings = random_surroundings(random, alpha);
  try {
    fpgpt::Alpha clocked = alpha;
    clocked.clock = result.surroundings.memory.kernel_clock;
    result.data = make_case(layer, kind, group, clocked, seed, result.surroundings.channels);
  } catch (const Error&) {
    return std::nullopt;  // beyond the compiled sizes
  }
  shape_values(random, result.data);
  return result;
}

}  // namespace

fpgpt::Alpha random_build(std::uint64_t seed, int build) {
  Random random = random_of(seed, build, -1);
  fpgpt::Alpha alpha = random_alpha(random);
  alpha.z = pick(random, 12, 32);
  alpha.z_channel = pick(random, 64, 128);
  alpha.k_range = pick(random, 64, 128);
  alpha.kern_words = pick(random, 256, 1024);
  alpha.out_words = pick(random, 2048, 4096);
  constexpr std::array<fpgpt::Variant, 4> kVariants{fpgpt::Variant::Both, fpgpt::Variant::Both, fpgpt::Variant::FGI,
                                                    fpgpt::Variant::GW};
  alpha.variant = kVariants.at(static_cast<std::size_t>(pick(random, 0, 3)));
  return alpha;
}

RandomCase random_case(std::uint64_t seed, int build, int number, const fpgpt::Alpha& alpha) {
  Random random = random_of(seed, build, number);
  for (int i = 0; i < kMostDraws; ++i) {
    if (std::optional<RandomCase> drawn = draw(random, alpha)) return std::move(*drawn);
  }
  throw Error("no random convolution fits the kernel");
}

}  // namespace weft::cosim
