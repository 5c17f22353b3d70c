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

// What a step came to.
struct StepResult {
  double loss = 0;
  std::optional<double> native_loss;  // of LibTorch alone
};

// How far the gradients of the first step are from those that LibTorch computes along the same Way: relative to the
// largest value of each.
struct GradientDifference {
  double largest = 0;
  std::string parameter;  // whose that is
  GraphNetworkImpl::Turns turns;
};

// Trains a network by SGD, a batch a step. With `compare` the same network is trained by LibTorch alone beside, with
// the same parameters at the beginning, images and dropouts.
class Trainer {
 public:
  Trainer(const workloads::Graph& forward, const workloads::Graph& training, const std::shared_ptr<Accelerator>& card,
          bool compare, const TrainingSettings& settings);
  ~Trainer();

  // `gi_first`: the gradient of the images is computed, too.
  StepResult step(ImageSource& source, bool gi_first);
  void set_rate(double rate);
  // Of the last step, on the card: of each parameter of more than one dimension, weights and no biases, in their order.
  std::vector<torch::Tensor> weight_gradients() const;
  // Of the first step. Throws Error without `compare`.
  const GradientDifference& difference() const;

  ImageShape image_shape() const;
  std::int64_t classes() const;

 private:
  struct Side;  // a network and its optimiser
  double step(Side& side, const Images& images, bool gi_first) const;
  torch::Tensor differentiate(Side& side, const Images& images, bool gi_first) const;
  void compare(const Images& images, const Way& way);

  TrainingSettings settings_;
  std::int64_t steps_ = 0;
  std::unique_ptr<Side> card_, native_;
  std::optional<GradientDifference> difference_;
};

}  // namespace weft::nn
