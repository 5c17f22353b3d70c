#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "torch/accelerator.h"
#include "workloads/graph/graph.h"

namespace weft::nn {

// Which way the values of a pass went: of Relu and Clip the words that pass, of max pools where the maximum is. The
// network is a smooth function along one way only: two computations of a gradient that differ in the last bit of a word
// next to a bend are not near each other.
struct Way {
  std::vector<torch::Tensor> taken;  // by operator
  std::vector<torch::Tensor> rest;   // Clip: what the words that do not pass are
};

// A network as LibTorch modules, built from its forward graph as it is trained (training::TrainedNetwork::forward), and
// the softmax cross-entropy that training_graph() puts on it. In training mode: normalisation by the batch, dropout
// active.
class GraphNetworkImpl : public torch::nn::Module {
 public:
  // `training`: the training graph of `forward`, for its loss. `card`: what computes the convolutions; nullptr:
  // LibTorch. Parameters are drawn from LibTorch's generator. Throws Error that names the operator for one that cannot
  // be built.
  GraphNetworkImpl(workloads::Graph forward, const workloads::Graph& training, std::shared_ptr<Accelerator> card);

  // Images of the input's shape, a label each. Throws Error where LibTorch comes to another shape than the graph.
  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& labels);

  // loss() notes the way that it goes, or goes one that was noted; nullptr: neither.
  void note(Way* way) { noted_ = way; }
  void follow(const Way* way) { followed_ = way; }
  // Since follow(): words at which it would have gone another way, of all of them.
  struct Turns {
    std::int64_t other = 0, all = 0;
  };
  Turns turns() const { return turns_; }

  const std::vector<std::int64_t>& input_shape() const;
  std::int64_t classes() const { return loss_.classes; }

 private:
  // What an operator makes of the tensors that it reads: those of its outputs that others may read.
  using Step = std::function<std::vector<torch::Tensor>(const std::vector<torch::Tensor>&)>;

  Step step_of(const workloads::Operator& op);
  Step build(const workloads::Operator& op, const workloads::ConvolutionOp& what);
  Step build(const workloads::Operator& op, const workloads::FullyConnectedOp& what);
  Step build(const workloads::Operator& op, const workloads::MatrixProductOp& what);
  Step build(const workloads::Operator& op, const workloads::BiasOp& what);
  Step build(const workloads::Operator& op, const workloads::ActivationOp& what);
  Step build(const workloads::Operator& op, const workloads::PoolOp& what);
  Step build(const workloads::Operator& op, const workloads::BatchNormOp& what);
  Step build(const workloads::Operator& op, const workloads::LrnOp& what);
  Step build(const workloads::Operator& op, const workloads::SoftmaxOp& what);
  Step build(const workloads::Operator& op, const workloads::ArithmeticOp& what);
  Step build(const workloads::Operator& op, const workloads::ConcatOp& what);
  Step build(const workloads::Operator& op, const workloads::SplitOp& what);
  Step build(const workloads::Operator& op, const workloads::CopyOp& what);
  Step build(const workloads::Operator& op, const workloads::ViewOp& what);
  Step build(const workloads::Operator& op, const workloads::ReduceOp& what);
  Step build(const workloads::Operator& op, const workloads::DropoutOp& what);
  // Of a training iteration; no forward graph has one.
  Step build(const workloads::Operator& op, const workloads::AccumulateOp& what);
  Step build(const workloads::Operator& op, const workloads::LossOp& what);
  Step build(const workloads::Operator& op, const workloads::SgdOp& what);
  Step build(const workloads::Operator& op, const workloads::UnknownOp& what);

  [[noreturn]] void refuse(const workloads::Operator& op, const std::string& why) const;
  const std::vector<std::int64_t>& shape(workloads::TensorId tensor) const { return graph_.tensors[tensor].shape; }
  // A parameter that no module holds: an operand of arithmetic, the slopes of PRelu.
  void own_parameters(const workloads::Operator& op, double value);
  workloads::OperatorId id_of(const workloads::Operator& op) const;
  torch::Tensor bent(workloads::OperatorId id, double low, double high, const torch::Tensor& x);
  bool biased(const workloads::Operator& op) const;
  std::string module_name(const workloads::Operator& op);

  workloads::Graph graph_;
  workloads::LossOp loss_;
  workloads::TensorId logits_ = 0;
  std::shared_ptr<Accelerator> card_;
  std::vector<Step> steps_;                  // by operator; nothing for what comes behind the logits
  std::vector<torch::Tensor> parameters_;    // by tensor: those that no module holds
  std::vector<workloads::OperatorId> last_;  // by tensor: the operator that reads it last
  std::set<std::string> names_;              // of modules
  std::set<workloads::TensorId> taken_;      // weights that a module holds
  Way* noted_ = nullptr;
  const Way* followed_ = nullptr;
  Turns turns_;
};
TORCH_MODULE(GraphNetwork);

}  // namespace weft::nn
