#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/record/record.h"
#include "platform/studies/validate/comparison.h"

namespace weft::validate {

// What the limits of a validation say of it.
struct LimitsVerdict {
  // The cycles of all convolutions of a kind, or of all.
  struct Total {
    Cycles model = 0, against = 0;
    double error = 0;
    bool holds = true;
  };
  struct Beyond {
    std::string kernel, layer;
    conv::Kind kind = conv::Kind::F;
    double error = 0;
  };

  Limits limits;
  bool holds = true;
  std::array<std::optional<Total>, kKinds> kinds;  // those that there are
  Total all;
  std::vector<Beyond> beyond;  // the convolutions beyond their limit, worst first

  std::vector<std::pair<std::string, Total>> totals() const;  // "F", "GI", "GW", "all": those that there are
};
void fields(record::Visitor& io, LimitsVerdict& verdict);

bool within(double error, double limit_percent);

LimitsVerdict judge(const Limits& limits, const std::vector<Pair>& pairs);

}  // namespace weft::validate
