#include "torch/live_policy.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <utility>

#include "model/core/error.h"

namespace weft::nn {

using precision::Level;

namespace {

NumberFormat format_of(Level level) {
  return level == precision::kFp32 ? NumberFormat::fp32() : NumberFormat::fixed(level);
}

// Relative error of quantising a tensor; its words represent `word * factor`.
template <class Tensor>
double error_of(const Tensor& tensor, double factor, int bits, int headroom, const quantiser::Randomness& randomness) {
  quantiser::Rounding how{bits, quantiser::scale_of(tensor, bits, headroom), randomness};
  std::vector<std::int16_t> words(tensor.size);
  quantiser::quantise(tensor, how, words.data());
  const double worth = std::ldexp(1.0, -how.scale);
  double error = 0, all = 0;
  for (std::size_t i = 0; i < tensor.size; ++i) {
    const double original = tensor.data[i] * factor, apart = original - words[i] * worth;
    error += apart * apart;
    all += original * original;
  }
  return all == 0 ? 0 : std::sqrt(error / all);
}

}  // namespace

double relative_error(const Computed& computed, Level level, int headroom) {
  if (level == precision::kFp32) return 0;
  if (computed.sums == nullptr) {
    return error_of(quantiser::Values{computed.name(), computed.out, computed.out_words}, 1, level, headroom,
                    computed.randomness);
  }
  const quantiser::Sums sums{computed.name(), computed.sums->data(), computed.sums->size(), computed.scale};
  return error_of(sums, std::ldexp(1.0, -computed.scale), level, headroom, computed.randomness);
}

LivePolicy::LivePolicy(const precision::Replay& rules, bool gm, std::int64_t iterations_per_epoch,
                       std::vector<std::string> names, const std::vector<precision::LevelTimes>& times)
    : names_(std::move(names)),
      policies_(rules.muppet, gm ? std::optional(rules.gm) : std::nullopt, iterations_per_epoch, names_.size(), times),
      levels_(policies_.levels()) {
  for (std::size_t i = 0; i < names_.size(); ++i) places_.emplace(names_[i], i);
}

std::size_t LivePolicy::place_of(const std::string& convolution) const {
  const auto place = places_.find(convolution);
  if (place == places_.end()) throw Error(fmt::format("'{}' is no convolution of the training", convolution));
  return place->second;
}

NumberFormat LivePolicy::format(const std::string& convolution) const {
  return format_of(levels_.at(place_of(convolution)));
}

void LivePolicy::observe(const Computed& computed, int headroom) {
  if (!policies_.gm()) return;
  const precision::Gm& gm = *policies_.gm();
  const std::size_t place = place_of(computed.name());
  if (!gm.watches(place)) return;
  Errors& errors = tick_errors_[place];
  errors.at_level += relative_error(computed, gm.level(place), headroom);
  errors.below += relative_error(computed, gm.lower(place), headroom);
  ++errors.iterations;
}

bool LivePolicy::end_iteration() {
  ++iteration_;
  while (tick_ < policies_.ticks() && iteration_ >= policies_.iterations_before_tick(tick_ + 1)) end_tick();
  return tick_ == policies_.ticks();
}

void LivePolicy::end_tick() {
  // GM queries a convolution's level first, then the level below, which a trace lists first.
  policies_.end_tick(tick_, [&](std::size_t convolution, Level level) {
    const auto found = tick_errors_.find(convolution);
    if (found == tick_errors_.end()) {
      throw Error(
          fmt::format("GM watches '{}', which was not computed in epoch {}", names_[convolution], policies_.epoch()));
    }
    const auto iterations = static_cast<double>(found->second.iterations);
    const double at_level = found->second.at_level / iterations, below = found->second.below / iterations;
    if (level != levels_[convolution]) return below;
    for (const auto& [of, error] : {std::pair{policies_.gm()->lower(convolution), below}, std::pair{level, at_level}}) {
      errors_ += fmt::format("{},{},{},{},{}\n", policies_.epoch(), tick_, names_[convolution],
                             precision::level_name(of), error);
    }
    return at_level;
  });
  tick_errors_.clear();
  levels_ = policies_.levels();
  ++tick_;
}

void LivePolicy::end_epoch(const std::vector<Gradient>& gradients) {
  gradients_.resize(gradients.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    Window& window = gradients_[i];
    window.sum.resize(gradients[i].size);
    for (std::size_t k = 0; k < gradients[i].size; ++k) {
      const double value = gradients[i].data[k];
      window.sum_of_squares += value * value;
      window.sum[k] += value;
    }
  }
  std::optional<double> asked;
  if (policies_.asks()) {
    asked = diversity();
    diversities_ += fmt::format("{},{}\n", policies_.epoch(), *asked);
    gradients_.clear();
  }
  policies_.end_epoch(asked);
  levels_ = policies_.levels();
  iteration_ = 0;
  tick_ = 0;
}

// Tensors whose gradients are all 0 are left out.
double LivePolicy::diversity() const {
  std::vector<precision::GradientNorms> tensors;
  for (const Window& window : gradients_) {
    precision::GradientNorms norms{window.sum_of_squares, 0};
    for (const double sum : window.sum) norms.square_of_sum += sum * sum;
    if (norms.sum_of_squares != 0) tensors.push_back(norms);
  }
  const double value = precision::diversity(tensors);
  if (!std::isfinite(value)) {
    throw Error(fmt::format("epoch {}: its gradients have no diversity: {}", policies_.epoch(),
                            tensors.empty() ? "all are 0" : "their sum is 0, or they are not finite"));
  }
  return value;
}

}  // namespace weft::nn
