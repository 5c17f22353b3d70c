#pragma once

#include <cstdint>
#include <limits>

namespace weft {

// Division by a rarely changing divisor through a multiplication: a few cycles instead of ten to twenty.
class Divider {
 public:
  explicit Divider(std::int64_t by) : by_(by), inverse_(kAll / static_cast<std::uint64_t>(by)), end_(inverse_ / 2) {}

  std::int64_t by() const { return by_; }
  // Returns `value` / by().
  //
  // Proof: let 2^64 - 1 = m by + r and value = q by + s. The product (value + 1) m / 2^64 is q + (s + 1) / by - e with
  // e = (value + 1) (r + 1) / (by 2^64). As value < m / 2 and r < by, e is above 0 and at most 1 / by, so rounding down
  // gives q.
  std::int64_t divide(std::int64_t value) const {
    const auto positive = static_cast<std::uint64_t>(value);
    if (positive >= end_) return value / by_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>(static_cast<Wide>(positive + 1) * inverse_ >> 64);
  }

 private:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  std::int64_t by_;
  std::uint64_t inverse_, end_;
};

}  // namespace weft
