#include "platform/studies/validate/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace weft::validate {

namespace {

constexpr double kPercent = 100;
constexpr double kNarrowest = 1e-4;  // in per cent; smaller errors share a bin

std::int64_t bin_of(double error, double width_percent) {
  return static_cast<std::int64_t>(std::floor(kPercent * error / width_percent));
}

// Narrowest width of 1, 2 and 5 times powers of ten with at most kMostBins bins.
double width_for(double low, double high) {
  for (double decade = kNarrowest;; decade *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double width = factor * decade;
      if (kPercent * (high - low) / width > static_cast<double>(kMostBins)) continue;
      if (bin_of(high, width) - bin_of(low, width) < static_cast<std::int64_t>(kMostBins)) return width;
    }
  }
}

}  // namespace

Statistics statistics(const std::vector<double>& errors) {
  Statistics result;
  if (errors.empty()) return result;
  result.count = static_cast<std::int64_t>(errors.size());
  result.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  double squares = 0;
  for (const double error : errors) squares += (error - result.mean) * (error - result.mean);
  if (errors.size() > 1) result.sd = std::sqrt(squares / static_cast<double>(errors.size() - 1));
  const auto [min, max] = std::minmax_element(errors.begin(), errors.end());
  result.min = *min;
  result.max = *max;
  return result;
}

Histogram histogram(const std::array<std::vector<double>, kKinds>& errors) {
  double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
  for (const auto& kind : errors) {
    for (const double error : kind) {
      low = std::min(low, error);
      high = std::max(high, error);
    }
  }
  Histogram result;
  if (low > high) return result;
  result.width_percent = width_for(low, high);
  result.first = bin_of(low, result.width_percent);
  result.bins.resize(static_cast<std::size_t>(bin_of(high, result.width_percent) - result.first + 1));
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (const double error : errors[kind]) {
      ++result.bins[static_cast<std::size_t>(bin_of(error, result.width_percent) - result.first)][kind];
    }
  }
  return result;
}

}  // namespace weft::validate
