#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "model/batchlane/plan.h"

namespace weft::batchlane {

// Contents of a kernel's memories in data mode (CONTRACT.md, section 7); all empty in timing mode.
class Buffers {
 public:
  Buffers() = default;
  explicit Buffers(const Plan& plan);

  using Features = std::vector<std::int8_t>;
  using Sums = std::vector<std::int32_t>;

  // Injects a fault for tests: both units of a pair use the same bank.
  void break_ping_pong() { broken_ = true; }

  Features& channel(std::int64_t step) { return channels_[static_cast<std::size_t>(step) % channels_.size()]; }
  Features& gradients(int block) { return gradients_[static_cast<std::size_t>(block % 2)]; }
  Sums& bank(std::int64_t unit) { return banks_[static_cast<std::size_t>(broken_ ? 0 : unit % 2)]; }
  // Received bytes of the strips of a unit, from the first beat of the unit on.
  std::vector<std::int8_t>& strip(std::int64_t step) {
    return strips_[static_cast<std::size_t>(step) % strips_.size()];
  }
  Sums& sums(std::int64_t step) { return sums_[step]; }
  void drop_sums(std::int64_t step) { sums_.erase(step); }

  // PE-4: sets the worker's accumulators of the unit to zero.
  void clear(const Plan& plan, std::int64_t unit, int worker);
  // PE-3: accumulates the kernels of the step that belong to the worker.
  void accumulate(const Plan& plan, std::int64_t step, int worker);
  std::int64_t overflows() const { return overflows_; }

 private:
  // `x`: the channel.
  void accumulate_outputs(const Plan& plan, std::int64_t step, int output, const std::int8_t* weights,
                          const std::int8_t* x);
  void accumulate_gradient(const Plan& plan, std::int64_t step, int output, const std::int8_t* x, std::int32_t* out);
  void accumulate_dense(const Plan& plan, std::int64_t step);

  std::vector<Features> channels_;
  std::array<Features, 2> gradients_;
  std::array<Sums, 2> banks_;
  std::vector<std::vector<std::int8_t>> strips_;
  std::map<std::int64_t, Sums> sums_;  // sums of the strips not yet written
  std::int64_t overflows_ = 0;
  bool broken_ = false;
};

// NUM-2: adds in 32 bits and counts overflows.
inline std::int32_t add32(std::int32_t sum, std::int32_t value, std::int64_t& overflows) {
  std::int32_t result = 0;
  overflows += __builtin_add_overflow(sum, value, &result) ? 1 : 0;
  return result;
}

}  // namespace weft::batchlane
