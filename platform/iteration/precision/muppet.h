#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "platform/iteration/precision/trace.h"

namespace weft::precision {

// Constants of MuPPET; defaults as in the thesis (section 3.2.1).
struct MuppetRules {
  std::vector<Level> levels = thesis_levels();  // lowest first; the last is FP32
  int resolution = 3;                           // r: epochs between diversities
  double alpha = 1, beta = 1.5, lambda = 0.1;   // of the threshold (Eq. 3.12)
  int patience = 2;                             // gamma: violations until a switch
  int fp32_epochs = 45;
  int epochs_per_rate = 15;  // in FP32: epochs between falls of the learning rate
  double rate_factor = 0.1;  // factor of each fall
};

// Gradient norms of one tensor over a window of epochs, g the gradient of an epoch's last minibatch: S, the sum of
// |g|^2, and |G|^2, where G is the sum of g.
struct GradientNorms {
  double sum_of_squares = 0, square_of_sum = 0;
};
// The mean over the tensors of S / |G|^2 (Eq. 3.9).
double diversity(const std::vector<GradientNorms>& tensors);

// MuPPET: one precision for the whole network, raised when the gradients of successive epochs become similar. The
// trainer runs epoch() in level(), then ends it. Epochs count from 0.
class Muppet {
 public:
  explicit Muppet(MuppetRules rules);  // throws std::invalid_argument unless levels ascend to FP32

  int epoch() const { return epoch_; }
  Level level() const { return rules_.levels[at_]; }
  bool finished() const;
  // Factor on the initial learning rate.
  double rate() const;

  // True if the end of this epoch needs a diversity, of the gradients since the last one.
  bool asks() const;
  // T of Eq. 3.12 in this epoch.
  double threshold() const;
  // Ends the epoch; returns true if the next epoch is in the next level. Throws std::invalid_argument if a needed
  // diversity is missing, if it is not finite and above 0, or if one is given that is not needed.
  bool end_epoch(std::optional<double> diversity = std::nullopt);
  // Ends the epoch with a given decision: for epochs chosen in advance.
  void end_epoch_by(bool switches);

  int violations() const { return violations_; }
  const MuppetRules& rules() const { return rules_; }

 private:
  void next_level();

  MuppetRules rules_;
  int epoch_ = 0;
  std::size_t at_ = 0;   // index in rules_.levels
  int fp32_epochs_ = 0;  // completed epochs in FP32
  double most_ = 0;      // largest diversity in this level
  int violations_ = 0;   // in this level
};

}  // namespace weft::precision
