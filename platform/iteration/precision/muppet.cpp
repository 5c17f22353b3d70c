#include "platform/iteration/precision/muppet.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

namespace weft::precision {

double diversity(const std::vector<GradientNorms>& tensors) {
  double sum = 0;
  for (const GradientNorms& of : tensors) sum += of.sum_of_squares / of.square_of_sum;
  return sum / static_cast<double>(tensors.size());
}

Muppet::Muppet(MuppetRules rules) : rules_(std::move(rules)) {
  const std::vector<Level>& levels = rules_.levels;
  const bool ascend = std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()) == levels.end();
  if (levels.empty() || levels.back() != kFp32 || !ascend) {
    throw std::invalid_argument("the levels of MuPPET must ascend to FP32");
  }
}

bool Muppet::finished() const {
  return level() == kFp32 && fp32_epochs_ >= rules_.fp32_epochs;
}

double Muppet::rate() const {
  return std::pow(rules_.rate_factor, fp32_epochs_ / rules_.epochs_per_rate);
}

bool Muppet::asks() const {
  return (epoch_ + 1) % rules_.resolution == 0 && level() != kFp32;
}

double Muppet::threshold() const {
  return rules_.alpha + rules_.beta * std::exp(-rules_.lambda * epoch_);
}

bool Muppet::end_epoch(std::optional<double> diversity) {
  if (diversity.has_value() != asks()) {
    throw std::invalid_argument(diversity ? "no diversity is asked for at the end of this epoch"
                                          : "the end of this epoch asks for a diversity");
  }
  bool switches = false;
  if (diversity) {
    const double d = *diversity;
    if (!std::isfinite(d) || d <= 0) throw std::invalid_argument("a diversity must be finite and above 0");
    if (d >= most_) {
      most_ = d;
    } else if (most_ / d > threshold()) {
      ++violations_;
    }
    switches = violations_ >= rules_.patience;
  }
  end_epoch_by(switches);
  return switches;
}

void Muppet::end_epoch_by(bool switches) {
  if (level() == kFp32) ++fp32_epochs_;
  ++epoch_;
  if (switches) next_level();
}

void Muppet::next_level() {
  if (level() == kFp32) throw std::invalid_argument("there is no level above FP32");
  ++at_;
  violations_ = 0;
  most_ = 0;
}

}  // namespace weft::precision
