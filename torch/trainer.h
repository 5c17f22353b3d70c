#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "torch/graph_network.h"
#include "torch/images.h"

namespace weft::nn {

struct TrainingSettings {
  double rate = 0.001;
  workloads::SgdOp optimiser;
  std::uint64_t seed = 1;
};

// Result of a step.
struct StepResult {
  double loss = 0;
  std::optional<double> native_loss;  // loss of LibTorch alone
};

// Difference between the gradients of the first step and those of LibTorch with the same branches (Way), relative to
// the largest value of each gradient.
struct GradientDifference {
  double largest = 0;
  std::string parameter;  // parameter with the largest difference
  GraphNetworkImpl::Turns turns;
};

// Trains a network by SGD, one batch per step. With `compare` LibTorch alone trains the same network in parallel, with
// the same initial parameters, images and dropouts.
class Trainer {
 public:
  Trainer(const workloads::Graph& forward, const workloads::Graph& training, const std::shared_ptr<Accelerator>& card,
          bool compare, const TrainingSettings& settings);
  ~Trainer();

  // `gi_first`: the gradient of the images is computed, too.
  StepResult step(ImageSource& source, bool gi_first);
  void set_rate(double rate);
  // Gradients of the last step on the card: of parameters with more than one dimension (weights, not biases), in order.
  std::vector<torch::Tensor> weight_gradients() const;
  // Difference in the first step. Throws Error without `compare`.
  const GradientDifference& difference() const;

  ImageShape image_shape() const;
  std::int64_t classes() const;

 private:
  struct Side;  // network with its optimiser
  double step(Side& side, const Images& images, bool gi_first) const;
  torch::Tensor differentiate(Side& side, const Images& images, bool gi_first) const;
  void compare(const Images& images, const Way& way);

  TrainingSettings settings_;
  std::int64_t steps_ = 0;
  std::unique_ptr<Side> card_, native_;
  std::optional<GradientDifference> difference_;
};

}  // namespace weft::nn
