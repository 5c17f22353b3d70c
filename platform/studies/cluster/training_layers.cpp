#include "platform/studies/cluster/training_layers.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <variant>

#include "model/core/error.h"

namespace weft::cluster {

using pipeline::TrainingLayer;
using workloads::Graph;
using workloads::Operator;
using workloads::TensorId;
using workloads::TensorKind;
using Kind = TrainingLayer::Kind;

namespace {

class Builder {
 public:
  Builder(const workloads::ImportedGraph& network, Cycles period) : network_(network), period_(period) {}

  std::vector<TrainingLayer> build() {
    const Graph& graph = network_.graph;
    if (graph.batch != 1) throw Error(fmt::format("a pipeline takes images one by one, not {} at once", graph.batch));
    for (const TensorId input : graph.inputs) by_[input] = pipeline::kNetworkInput;
    for (const Operator& op : graph.operators) {
      const std::size_t layer = layer_of(op);
      for (const TensorId output : op.outputs) by_[output] = layer;
    }
    return std::move(layers_);
  }

 private:
  std::size_t add(TrainingLayer layer) {
    const Cycles cycles = std::max<Cycles>(1, period_ / layer.out());
    if (layer.kind == Kind::Windowed) layer.f = layer.gi = cycles;
    if (layer.gw > 0) layer.gw = cycles;
    layers_.push_back(std::move(layer));
    return layers_.size() - 1;
  }

  // Layers whose outputs an operator reads; parameters and constants have none.
  std::vector<std::size_t> inputs_of(const Operator& op) const {
    std::vector<std::size_t> inputs;
    for (const TensorId input : op.inputs) {
      const auto found = by_.find(workloads::storage(network_.graph, input));
      const auto direct = by_.find(input);
      if (direct != by_.end()) {
        inputs.push_back(direct->second);
      } else if (found != by_.end()) {
        inputs.push_back(found->second);
      }
    }
    return inputs;
  }

  std::size_t layer_of(const Operator& op) {
    std::vector<std::size_t> inputs = inputs_of(op);
    if (const auto* const convolution = std::get_if<workloads::ConvolutionOp>(&op.what)) {
      const conv::Layer& of = convolution->layer;
      if (of.transposed) {
        throw Error(
            fmt::format("operator '{}' of network '{}' is a transposed convolution, which cannot run in a pipeline",
                        op.name, network_.network.name));
      }
      return add({op.name, Kind::Windowed, std::move(inputs), of.h, of.w, of.channels, of.filters, 1, 1, 1});
    }
    if (const auto* const product = std::get_if<workloads::FullyConnectedOp>(&op.what)) {
      return fully_connected(op, *product, inputs);
    }
    if (const auto* const pool = std::get_if<workloads::PoolOp>(&op.what)) return pooled(op, *pool, inputs);
    if (const auto* const reduce = std::get_if<workloads::ReduceOp>(&op.what); reduce && inputs.size() == 1) {
      return whole(op.name, inputs[0], count_of(op, reduce->outputs));
    }
    if (const auto* const sum = std::get_if<workloads::ArithmeticOp>(&op.what);
        sum && sum->function == workloads::Arithmetic::Add && inputs.size() > 1) {
      const TrainingLayer& from = layer(op, inputs[0]);
      TrainingLayer result{op.name, Kind::Sum, inputs, {}, {}, from.filters, from.filters};
      result.h.size = rows(from);
      result.w.size = columns(from);
      return add(std::move(result));
    }
    if (const auto* const joined = std::get_if<workloads::ConcatOp>(&op.what); joined && inputs.size() > 1) {
      return concatenation(op, *joined, std::move(inputs));
    }
    if (inputs.size() == 1 && !std::holds_alternative<workloads::UnknownOp>(op.what)) return inputs[0];
    throw Error(fmt::format(
        "operator '{}' of network '{}' cannot run in a pipeline; allowed: convolutions, fully "
        "connected layers, pools, additions, concatenations of channels, and element-wise operators on their outputs",
        op.name, network_.network.name));
  }

  const TrainingLayer& layer(const Operator& op, std::size_t of) const {
    if (of == pipeline::kNetworkInput) {
      throw Error(fmt::format("operator '{}' reads the network's input; in a pipeline only convolutions can", op.name));
    }
    return layers_[of];
  }
  static int count_of(const Operator& op, std::int64_t count) {
    if (count <= std::numeric_limits<int>::max()) return static_cast<int>(count);
    throw Error(fmt::format("operator '{}' has {} channels; a pipeline has at most {}", op.name, count,
                            std::numeric_limits<int>::max()));
  }
  static int rows(const TrainingLayer& of) {
    return of.kind == Kind::Windowed ? of.h.out() : of.out() == 1 ? 1 : of.h.size;
  }
  static int columns(const TrainingLayer& of) {
    return of.kind == Kind::Windowed ? of.w.out() : of.out() == 1 ? 1 : of.w.size;
  }

  std::size_t whole(const std::string& name, std::size_t from, int filters) {
    const TrainingLayer& of = layers_.at(from);
    TrainingLayer result{name, Kind::Whole, {from}, {}, {}, of.filters, filters};
    result.h.size = rows(of);
    result.w.size = columns(of);
    return add(std::move(result));
  }

  std::size_t concatenation(const Operator& op, const workloads::ConcatOp& of, std::vector<std::size_t> inputs) {
    if (of.axis != 1) {
      throw Error(fmt::format("operator '{}' of network '{}' concatenates axis {}: a pipeline joins channels, axis 1",
                              op.name, network_.network.name, of.axis));
    }
    const TrainingLayer& from = layer(op, inputs[0]);
    TrainingLayer result{op.name, Kind::Concatenation, {}, {}, {}, 0, 0};
    result.h.size = rows(from);
    result.w.size = columns(from);
    std::int64_t channels = 0;
    for (const std::size_t input : inputs) channels += layer(op, input).filters;
    result.channels = count_of(op, channels);
    result.filters = result.channels;
    result.inputs = std::move(inputs);
    return add(std::move(result));
  }

  std::size_t fully_connected(const Operator& op, const workloads::FullyConnectedOp& product,
                              const std::vector<std::size_t>& inputs) {
    std::size_t from = inputs.at(0);
    if (layer(op, from).out() > 1) from = whole(op.name + " input", from, count_of(op, product.in_features));
    TrainingLayer result{op.name,
                         Kind::Windowed,
                         {from},
                         {},
                         {},
                         count_of(op, product.in_features),
                         count_of(op, product.out_features),
                         1,
                         1,
                         1};
    return add(std::move(result));
  }

  std::size_t pooled(const Operator& op, const workloads::PoolOp& pool, const std::vector<std::size_t>& inputs) {
    const TrainingLayer& from = layer(op, inputs.at(0));
    if (pool.global) return whole(op.name, inputs[0], from.filters);
    if (pool.axes.size() != 2) throw Error(fmt::format("pool '{}' is not of two dimensions", op.name));
    TrainingLayer result{op.name, Kind::Windowed, inputs, {}, {}, from.filters, from.filters};
    const auto axis = [](const workloads::PoolAxis& of) {
      conv::LayerAxis axis{static_cast<int>(of.size),      static_cast<int>(of.kernel),  static_cast<int>(of.stride),
                           static_cast<int>(of.pad_begin), static_cast<int>(of.pad_end), static_cast<int>(of.dilation)};
      // Windows that exceed the end (ceil_mode) read padding there.
      while (axis.out() < of.out) ++axis.pad_end;
      return axis;
    };
    result.h = axis(pool.axes[0]);
    result.w = axis(pool.axes[1]);
    return add(std::move(result));
  }

  const workloads::ImportedGraph& network_;
  Cycles period_;
  std::vector<TrainingLayer> layers_;
  std::map<TensorId, std::size_t> by_;  // layer that writes the tensor
};

}  // namespace

std::vector<TrainingLayer> training_layers(const workloads::ImportedGraph& network, Cycles period) {
  return Builder(network, period).build();
}

}  // namespace weft::cluster
