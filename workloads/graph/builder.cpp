#include "workloads/graph/builder.h"

#include <fmt/core.h>

#include <limits>

#include "model/core/error.h"
#include "workloads/graph/operator_work.h"

namespace weft::workloads {

namespace {

// An operator reads a tensor at most twice (the passes of batch normalisation), and a graph's tensors and operations
// can be added up.
constexpr std::int64_t kMost = std::int64_t{1} << 60;

}  // namespace

GraphBuilder::GraphBuilder(Graph start) : graph_(std::move(start)) {
  for (const Tensor& tensor : graph_.tensors) {
    if (!tensor.view_of) bytes_ += tensor.bytes();
  }
  for (const Operator& op : graph_.operators) flops_ += op.flops;
}

TensorId GraphBuilder::tensor(std::string name, TensorKind kind, std::vector<std::int64_t> shape) {
  return tensor(std::move(name), kind, std::move(shape), graph_.word_bytes);
}

TensorId GraphBuilder::tensor(std::string name, TensorKind kind, std::vector<std::int64_t> shape, int element_bytes) {
  Tensor tensor;
  tensor.elements = 1;
  Bytes bytes = element_bytes;
  for (const std::int64_t dim : shape) {
    if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > kMost) {
      throw Error(fmt::format("tensor {} takes more than 2^60 bytes at batch {}", name, graph_.batch));
    }
    tensor.elements *= dim;
  }
  bytes_ += bytes;
  if (bytes_ > kMost) {
    throw Error(fmt::format("with tensor {}, the graph takes more than 2^60 bytes at batch {}", name, graph_.batch));
  }
  tensor.name = std::move(name);
  tensor.kind = kind;
  tensor.shape = std::move(shape);
  tensor.element_bytes = element_bytes;
  graph_.tensors.push_back(std::move(tensor));
  return graph_.tensors.size() - 1;
}

TensorId GraphBuilder::like(TensorId id, std::string name, TensorKind kind) {
  const Tensor other = graph_.tensors[id];
  if (other.elements == 0) return unsized(std::move(name), kind);
  return tensor(std::move(name), kind, other.shape, other.element_bytes);
}

TensorId GraphBuilder::view(TensorId id, std::string name) {
  Tensor tensor = graph_.tensors[id];
  tensor.name = std::move(name);
  tensor.view_of = id;
  tensor.producer.reset();
  tensor.consumers.clear();
  graph_.tensors.push_back(std::move(tensor));
  return graph_.tensors.size() - 1;
}

TensorId GraphBuilder::view(TensorId id, std::string name, std::vector<std::int64_t> shape) {
  const TensorId view_id = view(id, std::move(name));
  std::int64_t elements = 1;
  for (const std::int64_t dim : shape) {
    if (__builtin_mul_overflow(elements, dim, &elements)) return view_id;
  }
  if (elements == graph_.tensors[view_id].elements) graph_.tensors[view_id].shape = std::move(shape);
  return view_id;
}

TensorId GraphBuilder::unsized(std::string name, TensorKind kind) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.kind = kind;
  tensor.element_bytes = graph_.word_bytes;
  graph_.tensors.push_back(std::move(tensor));
  return graph_.tensors.size() - 1;
}

void GraphBuilder::batch_norm(const std::string& name, const BatchNormOp& what, TensorId x, TensorId scale,
                              TensorId shift, TensorId y) {
  const std::vector<std::int64_t> statistics{2, what.channels};  // mean, and reciprocal deviation or variance
  const TensorId batch = tensor(name + " statistics", TensorKind::Statistic, statistics);
  const TensorId running = tensor(name + " running statistics", TensorKind::Statistic, statistics);
  const TensorId updated = view(running, name + " running statistics, updated");
  Operator op = operator_of(name, what, {x, scale, shift, running}, {y, batch, updated});
  op.overwrites = {running};
  add(std::move(op));
}

TensorId GraphBuilder::dropout(const std::string& name, const DropoutOp& what, TensorId x, TensorId y) {
  const TensorId mask = tensor(name + " mask", TensorKind::Mask, graph_.tensors[x].shape, kMaskBytes);
  add(operator_of(name, what, {x}, {y, mask}));
  return mask;
}

OperatorId GraphBuilder::add(Operator op) {
  const OperatorId id = graph_.operators.size();
  for (const TensorId t : op.inputs) {
    std::vector<OperatorId>& consumers = graph_.tensors[t].consumers;
    if (consumers.empty() || consumers.back() != id) consumers.push_back(id);
  }
  for (const TensorId t : op.outputs) graph_.tensors[t].producer = id;
  if (op.problem.empty() && !std::holds_alternative<ViewOp>(op.what) && has_unsized(graph_, op)) {
    op.problem = "the size of a tensor is not known";
  }
  set_work(graph_, op);
  if (__builtin_add_overflow(flops_, op.flops, &flops_) || flops_ > kMost) {
    throw Error(fmt::format("with {}, the graph takes more than 2^60 operations at batch {}", label(op), graph_.batch));
  }
  graph_.operators.push_back(std::move(op));
  return id;
}

Operator operator_of(const std::string& name, const Attributes& what, std::vector<TensorId> inputs,
                     std::vector<TensorId> outputs) {
  Operator op;
  op.name = name;
  op.what = what;
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  return op;
}

}  // namespace weft::workloads
