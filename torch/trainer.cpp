#include "torch/trainer.h"

#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <utility>

#include "model/core/error.h"

namespace weft::nn {

using torch::Tensor;

struct Trainer::Side {
  Side(const workloads::Graph& forward, const workloads::Graph& training, std::shared_ptr<Accelerator> card,
       const TrainingSettings& settings)
      : network((torch::manual_seed(settings.seed), GraphNetwork(forward, training, std::move(card)))),
        optimiser(network->parameters(), torch::optim::SGDOptions(settings.rate)
                                             .momentum(settings.optimiser.momentum)
                                             .weight_decay(settings.optimiser.weight_decay)) {}

  GraphNetwork network;
  torch::optim::SGD optimiser;
};

Trainer::Trainer(const workloads::Graph& forward, const workloads::Graph& training,
                 const std::shared_ptr<Accelerator>& card, bool compare, const TrainingSettings& settings)
    : settings_(settings), card_(std::make_unique<Side>(forward, training, card, settings)) {
  if (compare) native_ = std::make_unique<Side>(forward, training, nullptr, settings);
}

Trainer::~Trainer() = default;

ImageShape Trainer::image_shape() const {
  const std::vector<std::int64_t>& shape = card_->network->input_shape();
  if (shape.size() != 4) throw Error("the network's input must be a batch of images, with 4 dimensions");
  return {shape[1], shape[2], shape[3]};
}

std::int64_t Trainer::classes() const {
  return card_->network->classes();
}

Tensor Trainer::differentiate(Side& side, const Images& images, bool gi_first) const {
  torch::manual_seed(settings_.seed + static_cast<std::uint64_t>(steps_));  // for dropout
  const Tensor pixels = torch::tensor(images.pixels).reshape(side.network->input_shape()).requires_grad_(gi_first);
  side.optimiser.zero_grad();
  Tensor loss = side.network->loss(pixels, torch::tensor(images.labels));
  loss.backward();
  return loss;
}

double Trainer::step(Side& side, const Images& images, bool gi_first) const {
  const Tensor loss = differentiate(side, images, gi_first);
  side.optimiser.step();
  return loss.item<double>();
}

StepResult Trainer::step(ImageSource& source, bool gi_first) {
  const Images images = source.next(card_->network->input_shape().front());
  ++steps_;
  StepResult result;
  Way way;
  if (native_ && steps_ == 1) card_->network->note(&way);
  result.loss = step(*card_, images, gi_first);
  card_->network->note(nullptr);
  if (!native_) return result;
  if (steps_ == 1) compare(images, way);
  result.native_loss = step(*native_, images, gi_first);
  return result;
}

void Trainer::set_rate(double rate) {
  for (Side* side : {card_.get(), native_.get()}) {
    if (side == nullptr) continue;
    for (torch::optim::OptimizerParamGroup& group : side->optimiser.param_groups()) {
      static_cast<torch::optim::SGDOptions&>(group.options()).lr(rate);
    }
  }
}

std::vector<Tensor> Trainer::weight_gradients() const {
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : card_->network->parameters()) {
    if (parameter.dim() > 1 && parameter.grad().defined()) gradients.push_back(parameter.grad().contiguous());
  }
  return gradients;
}

// Compares the gradients of the first step. Both sides still have the initial parameters.
void Trainer::compare(const Images& images, const Way& way) {
  native_->network->follow(&way);
  differentiate(*native_, images, false);
  native_->network->follow(nullptr);
  GradientDifference worst;
  worst.turns = native_->network->turns();
  const auto native = native_->network->named_parameters();
  for (const auto& parameter : card_->network->named_parameters()) {
    const Tensor here = parameter.value().grad(), there = native[parameter.key()].grad();
    const double scale = there.abs().max().item<double>(), apart = (here - there).abs().max().item<double>();
    const double relative = apart == 0 ? 0 : apart / scale;
    // NaN counts as the largest difference.
    if (worst.parameter.empty() || !(relative <= worst.largest)) {
      worst.largest = relative;
      worst.parameter = parameter.key();
    }
  }
  difference_ = worst;
}

const GradientDifference& Trainer::difference() const {
  if (!difference_) throw Error("there is nothing to compare with");
  return *difference_;
}

}  // namespace weft::nn
