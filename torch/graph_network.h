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

// Branches taken by the values of a pass: words that pass Relu and Clip, positions of the maxima of max pools. The
// network is smooth only for fixed branches: two computations of a gradient that differ in the last bit of a word next
// to a kink can differ by much.
struct Way {
  std::vector<torch::Tensor> taken;  // by operator
  std::vector<torch::Tensor> rest;   // Clip: values of the words that do not pass
};

// Network of LibTorch modules, built from its forward graph as trained (training::TrainedNetwork::forward), with the
// softmax cross-entropy of training_graph(). In training mode: batch statistics, dropout active.
class GraphNetworkImpl : public torch::nn::Module {
 public:
  // `training`: training graph of `forward`, source of the loss. `card`: computes the convolutions; nullptr: LibTorch
  // does. Parameters are drawn from LibTorch's generator. Throws Error that names an unsupported operator.
  GraphNetworkImpl(workloads::Graph forward, const workloads::Graph& training, std::shared_ptr<Accelerator> card);

  // `images`: of the input's shape, one label each. Throws Error if LibTorch's shapes differ from those of the graph.
  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& labels);

  // loss() records its branches to note(), or takes the branches given to follow(); nullptr: neither.
  void note(Way* way) { noted_ = way; }
  void follow(const Way* way) { followed_ = way; }
  // Words since follow(), in all and with a branch other than their own.
  struct Turns {
    std::int64_t other = 0, all = 0;
  };
  Turns turns() const { return turns_; }

  const std::vector<std::int64_t>& input_shape() const;
  std::int64_t classes() const { return loss_.classes; }

 private:
  // Computes from an operator's inputs the outputs that other operators may read.
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
  Step build(const workloads::Operator& op, const workloads::RowNormOp& what);
  Step build(const workloads::Operator& op, const workloads::SoftmaxOp& what);
  Step build(const workloads::Operator& op, const workloads::ArithmeticOp& what);
  Step build(const workloads::Operator& op, const workloads::ConcatOp& what);
  Step build(const workloads::Operator& op, const workloads::SplitOp& what);
  Step build(const workloads::Operator& op, const workloads::CopyOp& what);
  Step build(const workloads::Operator& op, const workloads::ViewOp& what);
  Step build(const workloads::Operator& op, const workloads::ReduceOp& what);
  Step build(const workloads::Operator& op, const workloads::DropoutOp& what);
  // Operators of a training iteration only.
  Step build(const workloads::Operator& op, const workloads::AccumulateOp& what);
  Step build(const workloads::Operator& op, const workloads::LossOp& what);
  Step build(const workloads::Operator& op, const workloads::SgdOp& what);
  Step build(const workloads::Operator& op, const workloads::UnknownOp& what);

  [[noreturn]] void refuse(const workloads::Operator& op, const std::string& why) const;
  const std::vector<std::int64_t>& shape(workloads::TensorId tensor) const { return graph_.tensors[tensor].shape; }
  // Adds a parameter that no module holds: an operand of arithmetic, or the slopes of PRelu.
  void own_parameters(const workloads::Operator& op, double value);
  workloads::OperatorId id_of(const workloads::Operator& op) const;
  torch::Tensor bent(workloads::OperatorId id, double low, double high, const torch::Tensor& x);
  bool biased(const workloads::Operator& op) const;
  std::string module_name(const workloads::Operator& op);

  workloads::Graph graph_;
  workloads::LossOp loss_;
  workloads::TensorId logits_ = 0;
  std::shared_ptr<Accelerator> card_;
  std::vector<Step> steps_;                  // by operator; empty after the logits
  std::vector<torch::Tensor> parameters_;    // by tensor; only those that no module holds
  std::vector<workloads::OperatorId> last_;  // by tensor: last operator that reads it
  std::set<std::string> names_;              // of the modules
  std::set<workloads::TensorId> taken_;      // weights held by a module
  Way* noted_ = nullptr;
  const Way* followed_ = nullptr;
  Turns turns_;
};
TORCH_MODULE(GraphNetwork);

}  // namespace weft::nn
