#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/iteration/precision/policies.h"
#include "torch/precision.h"

namespace weft::nn {

// Gradient of one tensor in the last minibatch of an epoch, as used by MuPPET.
struct Gradient {
  const float* data = nullptr;
  std::size_t size = 0;
};

// Eq. 6.3: sqrt(mean((orig - new)^2)) / sqrt(mean(orig^2)), with orig the 32-bit result words of a convolution and new
// the same quantised to `level`; 0 in FP32, and if all are 0.
double relative_error(const Computed& computed, precision::Level level, int headroom);

// MuPPET with GM on top, driven by measurements of a training. The measurements are recorded as traces for weft train
// with the exact numbers that the policies use, so that a replay makes the same decisions.
class LivePolicy {
 public:
  // `names`: of all convolutions; `times`: of each at each of GM's levels. `rules`: without traces.
  LivePolicy(const precision::Replay& rules, bool gm, std::int64_t iterations_per_epoch, std::vector<std::string> names,
             const std::vector<precision::LevelTimes>& times);

  const precision::Policies& policies() const { return policies_; }
  bool finished() const { return policies_.finished(); }
  // Current number format of a convolution. Throws Error for a convolution that is not part of the training.
  NumberFormat format(const std::string& convolution) const;

  void observe(const Computed& computed, int headroom);
  // Returns true after the epoch's last iteration. Throws Error if GM watches a convolution that was not computed.
  bool end_iteration();
  // `gradients`: of the epoch's last minibatch, always in the same order. Throws Error if they have no diversity: one
  // is not finite, or all are 0.
  void end_epoch(const std::vector<Gradient>& gradients);

  static constexpr const char* kDiversitiesHead = "epoch,diversity\n";
  static constexpr const char* kErrorsHead = "epoch,tick,convolution,level,rae\n";
  std::string diversities() const { return kDiversitiesHead + diversities_; }
  std::string errors() const { return kErrorsHead + errors_; }

 private:
  struct Errors {
    double at_level = 0, below = 0;
    std::int64_t iterations = 0;
  };
  // Sums S and G of a tensor since the last diversity.
  struct Window {
    double sum_of_squares = 0;
    std::vector<double> sum;
  };
  std::size_t place_of(const std::string& convolution) const;
  void end_tick();
  double diversity() const;

  std::vector<std::string> names_;
  std::map<std::string, std::size_t> places_;
  precision::Policies policies_;
  std::vector<precision::Level> levels_;  // current levels
  std::int64_t iteration_ = 0;            // within the epoch
  int tick_ = 0;                          // within the epoch
  std::map<std::size_t, Errors> tick_errors_;
  std::vector<Window> gradients_;
  std::string diversities_, errors_;
};

}  // namespace weft::nn
