#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "platform/iteration/precision/trace.h"

namespace weft::precision {

// The constants of MuPPET, as the thesis has them (section 3.2.1).
struct MuppetRules {
  std::vector<Level> levels = thesis_levels();  // lowest first; the last is FP32
  int resolution = 3;                           // r: epochs from one diversity to the next
  double alpha = 1, beta = 1.5, lambda = 0.1;   // of the threshold, Eq. 3.12
  int patience = 2;                             // gamma: violations that switch
  int fp32_epochs = 45;
  int epochs_per_rate = 15;  // in FP32: the learning rate falls that often ...
  double rate_factor = 0.1;  // ... to this share of itself
};

// Of one tensor, over the epochs of a window: S, the sum of |g|^2, and |G|^2, G the sum of g, with g the gradient of an
// epoch's last minibatch.
struct GradientNorms {
  double sum_of_squares = 0, square_of_sum = 0;
};
// The mean over the tensors of S / |G|^2 (Eq. 3.9).
double diversity(const std::vector<GradientNorms>& tensors);

// MuPPET: the precision that a whole network is trained in, raised when the gradients of successive epochs become
// alike. A trainer runs epoch() in level(), then ends it. Epochs count from 0.
class Muppet {
 public:
  explicit Muppet(MuppetRules rules);  // throws std::invalid_argument for levels that do not ascend to FP32

  int epoch() const { return epoch_; }
  Level level() const { return rules_.levels[at_]; }
  bool finished() const;
  // What the learning rate that the training began with is multiplied by.
  double rate() const;

  // Whether the end of this epoch asks for a diversity: of the gradients since the last that was asked for.
  bool asks() const;
  // T of Eq. 3.12 in this epoch.
  double threshold() const;
  // Ends the epoch; true if the next is in the next level. Throws std::invalid_argument where a diversity is missing,
  // or is not finite and above 0, or was not asked for.
  bool end_epoch(std::optional<double> diversity = std::nullopt);
  // Ends it as if the policy had switched, or had not: for epochs that were chosen beforehand.
  void end_epoch_by(bool switches);

  int violations() const { return violations_; }
  const MuppetRules& rules() const { return rules_; }

 private:
  void next_level();

  MuppetRules rules_;
  int epoch_ = 0;
  std::size_t at_ = 0;   // in rules_.levels
  int fp32_epochs_ = 0;  // that are over
  double most_ = 0;      // the largest diversity in this level
  int violations_ = 0;   // in this level
};

}  // namespace weft::precision
