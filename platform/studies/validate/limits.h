#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/record/record.h"
#include "platform/studies/validate/comparison.h"

namespace weft::validate {

// Cycles of all convolutions of a kind, or of all kinds.
struct TotalCycles {
  Cycles model = 0, against = 0;
  double error = 0;
  bool holds = true;
};

struct BeyondLimit {
  std::string kernel, layer;
  conv::Kind kind = conv::Kind::F;
  double error = 0;
};

// Verdict of a validation on its limits.
struct LimitsVerdict {
  Limits limits;
  bool holds = true;
  std::array<std::optional<TotalCycles>, kKinds> kinds;  // nothing for absent kinds
  TotalCycles all;
  std::vector<BeyondLimit> beyond;  // convolutions beyond their limit, worst first

  std::vector<std::pair<std::string, TotalCycles>> totals() const;  // "F", "GI", "GW", "all"; without absent kinds
};
void fields(record::Visitor& io, LimitsVerdict& verdict);

bool within(double error, double limit_percent);

LimitsVerdict judge(const Limits& limits, const std::vector<Pair>& pairs);

}  // namespace weft::validate
