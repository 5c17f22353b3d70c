#pragma once

#include <string>
#include <vector>

#include "platform/studies/validate/comparison.h"

namespace weft::validate {

// What the limits of a validation say of it.
struct LimitsVerdict {
  // The cycles of all convolutions of a kind, or of all.
  struct Total {
    std::string what;  // "F", "GI", "GW", "all"
    Cycles model = 0, against = 0;
    bool holds = true;

    double error() const { return static_cast<double>(model - against) / static_cast<double>(against); }
  };

  Limits limits;
  std::vector<Total> totals;        // of the kinds that there are, then of all
  std::vector<std::size_t> beyond;  // the convolutions beyond their limit, by their places in the pairs, worst first

  bool holds() const;
};

LimitsVerdict judge(const Limits& limits, const std::vector<Pair>& pairs);

}  // namespace weft::validate
