#include "tests/integration/dram/patterns.h"

#include <array>
#include <cstdint>
#include <stdexcept>

namespace weft::memory {

namespace {

constexpr Bytes kCapacity = Bytes{1} << 34;

// Mersenne Twister MT19937 (Matsumoto and Nishimura 1998) as in Python's `random` module, which made the patterns:
// seeded by array, randrange() by rejection of the top bits, random() from 53 bits.
class PythonRandom {
 public:
  explicit PythonRandom(std::uint32_t seed) {
    state_[0] = 19650218U;
    for (std::uint32_t i = 1; i < kSize; ++i) state_[i] = 1812433253U * mixed(i) + i;
    std::uint32_t i = 1;
    const auto next = [&] {
      if (++i < kSize) return;
      state_[0] = state_[kSize - 1];
      i = 1;
    };
    for (std::uint32_t k = 0; k < kSize; ++k, next()) state_[i] = (state_[i] ^ (mixed(i) * 1664525U)) + seed;
    for (std::uint32_t k = 1; k < kSize; ++k, next()) state_[i] = (state_[i] ^ (mixed(i) * 1566083941U)) - i;
    state_[0] = 0x80000000U;
  }

  // Returns an integer below `limit`, which is at most 2^31.
  std::int64_t below(std::uint32_t limit) {
    int bits = 0;
    while ((limit >> bits) != 0) ++bits;
    std::uint32_t value = 0;
    do {
      value = draw() >> (32 - bits);
    } while (value >= limit);
    return value;
  }

  double unit() {
    const std::uint32_t high = draw() >> 5;
    const std::uint32_t low = draw() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

 private:
  static constexpr std::uint32_t kSize = 624, kShift = 397;

  std::uint32_t mixed(std::uint32_t i) const { return state_[i - 1] ^ (state_[i - 1] >> 30); }

  std::uint32_t draw() {
    if (used_ == kSize) {
      for (std::uint32_t i = 0; i < kSize; ++i) {
        const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[(i + 1) % kSize] & 0x7fffffffU);
        state_[i] = state_[(i + kShift) % kSize] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfU : 0);
      }
      used_ = 0;
    }
    std::uint32_t y = state_[used_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
  }

  std::array<std::uint32_t, kSize> state_{};
  std::uint32_t used_ = kSize;
};

// Collects requests up to a count.
class Builder {
 public:
  explicit Builder(std::size_t count) : count_(count) { trace_.reserve(count); }
  bool full() const { return trace_.size() == count_; }
  void add(Address address, bool write = false) {
    if (!full()) trace_.push_back({address % kCapacity, write});
  }
  void add_lines(Address start, int lines, bool write = false) {
    for (int i = 0; i < lines; ++i) add(start + i * kAccessBytes, write);
  }
  Trace take() { return std::move(trace_); }

 private:
  std::size_t count_;
  Trace trace_;
};

}  // namespace

Trace reference_pattern(const std::string& name, std::size_t count) {
  Builder to(count);
  int lines = 0;
  int planes = 0;
  int grain = 0;
  int stride = 0;
  if (name == "1_seq_rd" || name == "2_seq_wr") {
    for (Address a = 0; !to.full(); a += kAccessBytes) to.add(a, name == "2_seq_wr");
  } else if (name == "3a_b256_gap4k") {
    for (Address a = 0; !to.full(); a += 256 * kAccessBytes + 4096) to.add_lines(a, 256);
  } else if (name == "3b_b256_rnd4k") {
    for (PythonRandom random(1); !to.full();) to.add_lines(random.below(kCapacity / 4096) * 4096, 256);
  } else if (std::sscanf(name.c_str(), "4_L%d_s%d", &lines, &stride) == 2) {
    const Bytes step = align_up(lines * kAccessBytes, stride);
    for (Address a = 0; !to.full(); a += step) to.add_lines(a, lines);
  } else if (std::sscanf(name.c_str(), "4p_L%d_s%d_C%d", &lines, &stride, &planes) == 3) {
    for (Address a = 0; !to.full(); a += lines * kAccessBytes) {
      if (a + lines * kAccessBytes > stride) a = 0;
      for (int plane = 0; plane < planes; ++plane) to.add_lines(Address{plane} * stride + a, lines);
    }
  } else if (name == "5_rand_rd") {
    for (PythonRandom random(3); !to.full();) to.add(random.below(kCapacity / kAccessBytes) * kAccessBytes);
  } else if (name == "5c_rand_rw50") {
    for (PythonRandom random(5); !to.full();) {
      const bool write = random.unit() < 0.5;
      to.add(random.below(kCapacity / kAccessBytes) * kAccessBytes, write);
    }
  } else if (std::sscanf(name.c_str(), "6_mix_g%d", &grain) == 1 ||
             std::sscanf(name.c_str(), "6o_mix_g%d", &grain) == 1) {
    const bool offset = name[1] == 'o';
    const Address bases[] = {0, (Address{4} << 30) + (offset ? 32768 + 512 : 0),
                             (Address{8} << 30) + (offset ? 65536 + 1024 : 0)};
    for (Address a = 0; !to.full(); a += grain * kAccessBytes) {
      for (int stream = 0; stream < 3; ++stream) to.add_lines(bases[stream] + a, grain, stream == 2);
    }
  } else {
    throw std::invalid_argument("no reference pattern " + name);
  }
  return to.take();
}

}  // namespace weft::memory
