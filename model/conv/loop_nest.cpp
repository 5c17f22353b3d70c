#include "model/conv/loop_nest.h"

#include <algorithm>
#include <numeric>

#include "model/core/units.h"

namespace weft::conv {

template void run_loop_nest<FloatSum>(const Convolution&, WordSpan<const float>, WordSpan<const float>,
                                      WordSpan<float>);
template void run_loop_nest<DoubleSum>(const Convolution&, WordSpan<const float>, WordSpan<const float>,
                                       WordSpan<float>);

namespace {

// Returns the inverse of `value` modulo `modulus`; the two are coprime (Euclid's algorithm).
std::int64_t inverse(std::int64_t value, std::int64_t modulus) {
  std::int64_t r = modulus, next_r = value % modulus, t = 0, next_t = 1;
  while (next_r != 0) {
    const std::int64_t quotient = r / next_r;
    r -= quotient * next_r;
    std::swap(r, next_r);
    t -= quotient * next_t;
    std::swap(t, next_t);
  }
  return t < 0 ? t + modulus : t;
}

// Counts the stored samples of INP among coordinates that are `step` apart.
class StoredSamples {
 public:
  StoredSamples(const Axis& axis, std::int64_t step)
      : step_(step),
        dilation_(axis.inp_dilation),
        last_(std::int64_t{axis.inp - 1} * axis.inp_dilation),
        common_(std::gcd(step_, dilation_)),
        period_(dilation_ / common_),
        inverse_(inverse(step_ / common_, period_)) {}

  // Returns the number of samples among `count` coordinates starting at `first`.
  std::int64_t among(std::int64_t first, std::int64_t count) const {
    if (first % common_ != 0) return 0;
    const std::int64_t begin = first < 0 ? ceil_div(-first, step_) : 0;
    const std::int64_t end = first > last_ ? 0 : std::min(count, (last_ - first) / step_ + 1);
    // Index of the first sample of the infinite sequence: first + match * step is a multiple of the dilation.
    const std::int64_t rest = -(first / common_) % period_;
    const std::int64_t match = (rest < 0 ? rest + period_ : rest) * inverse_ % period_;
    const auto before = [&](std::int64_t limit) { return limit <= match ? 0 : (limit - match - 1) / period_ + 1; };
    return end <= begin ? 0 : before(end) - before(begin);
  }

 private:
  std::int64_t step_, dilation_, last_, common_, period_, inverse_;
};

}  // namespace

std::int64_t stored_pairs(const Axis& axis, std::int64_t outputs) {
  std::int64_t pairs = 0;
  if (outputs < axis.kern) {
    const StoredSamples of_output(axis, axis.kern_dilation);
    for (std::int64_t o = 0; o < outputs; ++o) pairs += of_output.among(o * axis.stride - axis.pad_begin, axis.kern);
  } else {
    const StoredSamples of_weight(axis, axis.stride);
    for (std::int64_t i = 0; i < axis.kern; ++i)
      pairs += of_weight.among(i * axis.kern_dilation - axis.pad_begin, outputs);
  }
  return pairs;
}

}  // namespace weft::conv
