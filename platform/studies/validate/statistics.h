#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "platform/studies/validate/validate_config.h"

namespace weft::validate {

// Statistics of errors, as fractions. All zero if there are none.
struct Statistics {
  std::int64_t count = 0;
  double mean = 0;
  double sd = 0;  // sample standard deviation (count - 1 degrees of freedom); 0 for one error
  double max = 0, min = 0;
};
Statistics statistics(const std::vector<double>& errors);

// Number of errors of each kind in [first + i * width, first + (i + 1) * width) per cent.
struct Histogram {
  double width_percent = 1;
  std::int64_t first = 0;  // lower edge of the first bin is first * width_percent
  std::vector<std::array<std::int64_t, kKinds>> bins;
};

inline constexpr std::size_t kMostBins = 20;

// Histogram with the narrowest width of ..., 0.1, 0.2, 0.5, 1, 2, 5, ... per cent that needs at most kMostBins bins.
Histogram histogram(const std::array<std::vector<double>, kKinds>& errors);

}  // namespace weft::validate
