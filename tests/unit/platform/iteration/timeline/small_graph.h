#pragma once

#include <string>
#include <vector>

#include "workloads/graph/graph.h"

namespace weft::test {

// A graph built by hand: tensors have a size in bytes, operators read and write them. Convolutions are 1x1.
class SmallGraph {
 public:
  workloads::TensorId tensor(const std::string& name, Bytes bytes,
                             workloads::TensorKind kind = workloads::TensorKind::Activation) {
    workloads::Tensor tensor;
    tensor.name = name;
    tensor.kind = kind;
    tensor.elements = bytes;
    tensor.element_bytes = 1;
    graph_.tensors.push_back(tensor);
    return graph_.tensors.size() - 1;
  }
  workloads::OperatorId convolution(const std::string& name, std::vector<workloads::TensorId> in,
                                    std::vector<workloads::TensorId> out) {
    return add(name, workloads::ConvolutionOp{}, std::move(in), std::move(out));
  }
  workloads::OperatorId host(const std::string& name, std::vector<workloads::TensorId> in,
                             std::vector<workloads::TensorId> out) {
    return add(name, workloads::ActivationOp{}, std::move(in), std::move(out));
  }
  workloads::OperatorId view(const std::string& name, workloads::TensorId in, workloads::TensorId out) {
    graph_.tensors[out].view_of = in;
    return add(name, workloads::ViewOp{}, {in}, {out});
  }
  const workloads::Graph& graph() const { return graph_; }

 private:
  workloads::OperatorId add(const std::string& name, workloads::Attributes what, std::vector<workloads::TensorId> in,
                            std::vector<workloads::TensorId> out) {
    workloads::Operator op;
    op.name = name;
    op.what = std::move(what);
    const workloads::OperatorId id = graph_.operators.size();
    for (const workloads::TensorId tensor : in) graph_.tensors[tensor].consumers.push_back(id);
    for (const workloads::TensorId tensor : out) graph_.tensors[tensor].producer = id;
    op.inputs = std::move(in);
    op.outputs = std::move(out);
    graph_.operators.push_back(std::move(op));
    return id;
  }

  workloads::Graph graph_;
};

}  // namespace weft::test
