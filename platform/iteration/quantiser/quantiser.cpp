#include "platform/iteration/quantiser/quantiser.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "model/core/error.h"
#include "platform/iteration/quantiser/philox.h"
#include "platform/os/worker_pool.h"

namespace weft::quantiser {

namespace {

// Elements per work item of a thread: a multiple of four, the elements served by one block of random words.
constexpr std::size_t kChunk = std::size_t{1} << 16;

void for_chunks(std::size_t size, int threads, const std::function<void(std::size_t from, std::size_t to)>& work) {
  const std::size_t chunks = (size + kChunk - 1) / kChunk;
  const auto chunk = [&](std::size_t index) { work(index * kChunk, std::min(size, (index + 1) * kChunk)); };
  if (threads <= 1 || chunks <= 1) {
    for (std::size_t index = 0; index < chunks; ++index) chunk(index);
  } else {
    os::parallel_for(chunks, threads, chunk);
  }
}

void check_bits(int bits) {
  if (bits < kLeastBits || bits > kMostBits) {
    throw Error(fmt::format("words of {} bits: must have {} to {}", bits, kLeastBits, kMostBits));
  }
}

void check_scale(int scale, const std::string& name) {
  if (std::abs(scale) > kMostScale) {
    throw Error(fmt::format("'{}': scale {} is beyond {} to {}", name, scale, -kMostScale, kMostScale));
  }
}

// 2^exponent; exact, as are its products with FP32 and 32-bit values in double precision: all are far above 2^-1022.
double power_of_two(int exponent) {
  return std::ldexp(1.0, exponent);
}

double exact(float value, std::size_t index, const std::string& name) {
  if (!std::isfinite(value)) {
    throw Error(fmt::format("'{}': element {} is {}, but fixed point needs finite values", name, index,
                            std::isnan(value) ? "NaN" : (value > 0 ? "infinity" : "-infinity")));
  }
  return value;
}
double exact(std::int32_t value, std::size_t, const std::string&) {
  return value;
}

struct Extremes {
  double least = 0, most = 0;
};

// Least and largest value, including 0: a maximum <= 0 or a minimum >= 0 sets no limit.
template <class Tensor>
Extremes extremes(const Tensor& tensor, int threads) {
  std::vector<Extremes> found((tensor.size + kChunk - 1) / kChunk);
  for_chunks(tensor.size, threads, [&](std::size_t from, std::size_t to) {
    Extremes of;
    for (std::size_t i = from; i < to; ++i) {
      const double value = exact(tensor.data[i], i, tensor.name);
      of.least = std::min(of.least, value);
      of.most = std::max(of.most, value);
    }
    found[from / kChunk] = of;
  });
  Extremes all;
  for (const Extremes& of : found) {
    all.least = std::min(all.least, of.least);
    all.most = std::max(all.most, of.most);
  }
  return all;
}

// The largest s with value * 2^s <= limit, both above 0, by comparing exponents and significands.
int largest_scale(double value, double limit) {
  int value_exponent = 0, limit_exponent = 0;
  const double value_significand = std::frexp(value, &value_exponent);
  const double limit_significand = std::frexp(limit, &limit_exponent);
  return limit_exponent - value_exponent - (value_significand <= limit_significand ? 0 : 1);
}

// Scale by the extremes; nothing for a tensor of zeros.
std::optional<int> scale_of(const Extremes& of, int bits) {
  check_bits(bits);
  const Bounds range = bounds(bits);
  std::optional<int> scale;
  if (of.most > 0) scale = largest_scale(of.most, range.upper + 0.5);
  if (of.least < 0) {
    const int by_least = largest_scale(-of.least, 0.5 - range.lower);
    scale = scale ? std::min(*scale, by_least) : by_least;
  }
  return scale;
}

PhiloxCounter random_words(const Randomness& of, std::uint64_t block) {
  return philox4x32_10(
      {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), of.tensor, of.iteration},
      {static_cast<std::uint32_t>(of.seed), static_cast<std::uint32_t>(of.seed >> 32)});
}

constexpr int kRandomBits = 24;

// floor(v + r / 2^24) with the fraction of v cut to 24 bits, computed as floor((floor(v * 2^24) + r) / 2^24). No step
// rounds; v - floor(v) would round to 1 for a v just below 0.
std::int16_t rounded(double scaled, std::uint32_t random, const Bounds& range) {
  // Values outside these limits give a bound, whatever r is; inside them the sum fits into 64 bits.
  const double lowest = static_cast<double>(range.lower - 1) * (1 << kRandomBits);
  const double highest = static_cast<double>(range.upper + 1) * (1 << kRandomBits);
  const double kept = std::clamp(scaled, lowest, highest);
  auto whole = static_cast<std::int64_t>(kept);
  if (static_cast<double>(whole) > kept) --whole;
  const std::int64_t word = (whole + random) >> kRandomBits;
  return static_cast<std::int16_t>(std::clamp<std::int64_t>(word, range.lower, range.upper));
}

// `factor`: scaled value * 2^24, divided by the element.
template <class Tensor>
void quantise_any(const Tensor& tensor, const Rounding& how, double factor, std::int16_t* words, int threads) {
  const Bounds range = bounds(how.bits);
  for_chunks(tensor.size, threads, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; i += 4) {
      const PhiloxCounter random = random_words(how.randomness, i / 4);
      for (std::size_t k = i; k < std::min(i + 4, to); ++k) {
        words[k] = rounded(exact(tensor.data[k], k, tensor.name) * factor, random[k - i] >> (32 - kRandomBits), range);
      }
    }
  });
}

}  // namespace

std::uint32_t random_bits(const Randomness& randomness, std::uint64_t index) {
  return random_words(randomness, index / 4)[index % 4] >> (32 - kRandomBits);
}

int scale_of(const Values& values, int bits, int headroom, int threads) {
  const std::optional<int> scale = scale_of(extremes(values, threads), bits);
  return scale ? *scale - headroom : 0;
}

int scale_of(const Sums& sums, int bits, int headroom, int threads) {
  const std::optional<int> scale = scale_of(extremes(sums, threads), bits);
  return scale ? sums.scale + *scale - headroom : 0;
}

void quantise(const Values& values, const Rounding& how, std::int16_t* words, int threads) {
  check_bits(how.bits);
  check_scale(how.scale, values.name);
  quantise_any(values, how, power_of_two(how.scale + kRandomBits), words, threads);
}

void quantise(const Sums& sums, const Rounding& how, std::int16_t* words, int threads) {
  check_bits(how.bits);
  check_scale(how.scale, sums.name);
  check_scale(sums.scale, sums.name);
  const int shift = std::clamp(how.scale - sums.scale, -kMostScale, kMostScale);  // beyond: all 0 or -1, or all bounds
  quantise_any(sums, how, power_of_two(shift + kRandomBits), words, threads);
}

void dequantise(const Sums& sums, float* values, int threads) {
  check_scale(sums.scale, sums.name);
  const double factor = power_of_two(-sums.scale);
  for_chunks(sums.size, threads, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const double value = sums.data[i] * factor;
      if (std::abs(value) > std::numeric_limits<float>::max()) {
        throw Error(fmt::format("'{}': element {} is {} * 2^{}, beyond FP32", sums.name, i, sums.data[i], -sums.scale));
      }
      values[i] = static_cast<float>(value);
    }
  });
}

}  // namespace weft::quantiser
