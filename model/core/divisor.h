#pragma once

#include <cstdint>

namespace weft {

// Divides by one number again and again, in about a third of the time that the processor takes: by multiplying with
// its reciprocal in 63 bits behind the point, which is exact for all that is not too large, and otherwise as ever.
class Divisor {
 public:
  explicit Divisor(std::int64_t by = 1)  // 1 or more
      : by_(by), reciprocal_((kOne - 1) / static_cast<std::uint64_t>(by) + 1) {
    // The reciprocal is too large by a part of 1 / by: it makes no other quotient as long as that adds up to less.
    const std::uint64_t excess = reciprocal_ * static_cast<std::uint64_t>(by) - kOne;
    most_ = excess == 0 ? kOne : kOne / excess;
  }

  // value / by(), towards zero.
  std::int64_t quotient(std::int64_t value) const {
    const auto positive = static_cast<std::uint64_t>(value);  // a negative one is beyond the most
    if (positive >= most_) return value / by_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>(static_cast<Wide>(positive) * reciprocal_ >> 63);
  }
  std::int64_t remainder(std::int64_t value) const { return value - quotient(value) * by_; }
  std::int64_t by() const { return by_; }

 private:
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 63;

  std::int64_t by_;
  std::uint64_t reciprocal_;  // 2^63 / by, rounded up
  std::uint64_t most_;        // from which on it is not used
};

}  // namespace weft
