#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/core/units.h"

namespace weft {

// Activity of a block in one cycle (kernels/fpgpt/CONTRACT.md, GEN-5). The first class that applies is taken.
enum class Activity : std::uint8_t {
  Active,   // moved a token or advanced work that the contract counts
  Blocked,  // an output that the next action needs is full
  Starved,  // an input that the next action needs is empty
  Idle      // none of the above
};

inline constexpr std::size_t kActivities = 4;
inline constexpr std::array<const char*, kActivities> kActivityNames{"active", "blocked", "starved", "idle"};
// Order of the classes in a kernel's activity registers (REGISTERS.md).
inline constexpr std::array<Activity, kActivities> kActivityRegisterOrder{Activity::Idle, Activity::Starved,
                                                                          Activity::Blocked, Activity::Active};

// Cycles per class; they sum to the cycles of the convolution.
struct Activities {
  std::array<Cycles, kActivities> cycles{};
  void add(Activity activity, Cycles count = 1) { cycles[static_cast<std::size_t>(activity)] += count; }
  Cycles of(Activity activity) const { return cycles[static_cast<std::size_t>(activity)]; }
  Cycles total() const { return std::accumulate(cycles.begin(), cycles.end(), Cycles{0}); }
  void add(const Activities& other, std::int64_t times) {
    for (std::size_t i = 0; i < kActivities; ++i) cycles[i] += times * other.cycles[i];
  }
  Activities& operator+=(const Activities& other) {
    add(other, 1);
    return *this;
  }
  friend bool operator==(const Activities& a, const Activities& b) { return a.cycles == b.cycles; }
  friend bool operator!=(const Activities& a, const Activities& b) { return !(a == b); }
};

// Activities of each block of a kernel, in the order of its last().
template <class Kernel>
using ActivitiesOf = std::array<Activities, std::tuple_size_v<decltype(std::declval<const Kernel&>().last())>>;

// Returns the block with the most active cycles; on a tie the first, which is the most upstream.
template <class ActivitiesOfBlocks>
std::size_t most_active(const ActivitiesOfBlocks& blocks) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].of(Activity::Active) > blocks[best].of(Activity::Active)) best = i;
  }
  return best;
}

}  // namespace weft
