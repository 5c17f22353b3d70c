#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/iteration/precision/policies.h"
#include "torch/precision.h"

namespace weft::nn {

// A gradient as MuPPET looks at it: of one tensor, in the last minibatch of an epoch.
struct Gradient {
  const float* data = nullptr;
  std::size_t size = 0;
};

// Eq. 6.3: sqrt(mean((orig - new)^2)) / sqrt(mean(orig^2)), orig the 32-bit words that a convolution came to, new the
// same quantised to `level`; 0 in FP32, and where all are 0.
double relative_error(const Computed& computed, precision::Level level, int headroom);

// MuPPET, and GM on top of it, driven by what a training measures, which is written down as the traces that weft train
// replays: the numbers that the policies are given are the numbers of the traces, so that a replay decides the same.
class LivePolicy {
 public:
  // `names`: of all convolutions; `times`: of each in each of GM's levels. `rules`: without traces.
  LivePolicy(const precision::Replay& rules, bool gm, std::int64_t iterations_per_epoch, std::vector<std::string> names,
             const std::vector<precision::LevelTimes>& times);

  const precision::Policies& policies() const { return policies_; }
  bool finished() const { return policies_.finished(); }
  // What a convolution is computed in now. Throws Error for one that is none of the training's.
  NumberFormat format(const std::string& convolution) const;

  void observe(const Computed& computed, int headroom);
  // True: it was the epoch's last. Throws Error where GM watches a convolution that was not computed.
  bool end_iteration();
  // The gradients of the epoch's last minibatch, in the same order each time. Throws Error where they have no
  // diversity: one is not finite, or all are 0.
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
  // S and G of a tensor, since a diversity was asked for.
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
  std::vector<precision::Level> levels_;  // now
  std::int64_t iteration_ = 0;            // of the epoch
  int tick_ = 0;                          // of the epoch
  std::map<std::size_t, Errors> tick_errors_;
  std::vector<Window> gradients_;
  std::string diversities_, errors_;
};

}  // namespace weft::nn
