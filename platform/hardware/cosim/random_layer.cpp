#include "platform/hardware/cosim/random_layer.h"

#include <array>
#include <cmath>

#include "kernels/fp32.h"

namespace weft::cosim {

Random random_of(std::uint64_t seed, int build, int number) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(build), static_cast<std::uint32_t>(number)};
  return Random(sequence);
}

AxiEnvironment three_channels(memory::MemoryKind kind, Bytes beat_bytes) {
  AxiEnvironment s;
  s.memory.kind = kind;
  s.memory.beat_bytes = beat_bytes;
  s.channels = s.memory.port_channel = {0, 1, 2};
  s.memory.channels = 3;
  s.memory.latency_cycles = 13;
  return s;
}

AxiEnvironment random_environment(Random& random, Bytes beat_bytes) {
  constexpr std::array<Frequency, 4> kClocks{Frequency{100, 1}, {300, 1}, {250, 1}, {1000, 3}};
  AxiEnvironment s;
  s.memory.kernel_clock = kClocks.at(static_cast<std::size_t>(pick(random, 0, 3)));
  s.memory.beat_bytes = beat_bytes;
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

void shape_values(Random& random, std::vector<memory::Store>& stores) {
  const auto change = [&](const auto& changed) {
    for (memory::Store& store : stores) {
      for (Address at = store.first(); at < store.end(); at += 4) *store.floats(at) = changed(*store.floats(at));
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
        return pick(random, 0, 199) ? value : from_bits(kSpecial.at(static_cast<std::size_t>(pick(random, 0, 7))));
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

}  // namespace weft::cosim
