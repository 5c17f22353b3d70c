#include "workloads/graph/lifetimes.h"

#include <algorithm>

#include "model/core/error.h"
#include "workloads/graph/dependencies.h"

namespace weft::workloads {

std::vector<Lifetime> lifetimes(const Graph& graph, const std::vector<OperatorId>& order) {
  if (!Dependencies(graph).allows(order)) throw Error("graph " + graph.name + ": its dependencies forbid this order");
  std::vector<std::size_t> position(graph.operators.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  const std::size_t end = order.empty() ? 0 : order.size() - 1;

  std::vector<Lifetime> of_storage(graph.tensors.size());
  std::vector<bool> used(graph.tensors.size());
  const auto extend = [&](TensorId root, std::size_t from, std::size_t to) {
    Lifetime& life = of_storage[root];
    life.first = used[root] ? std::min(life.first, from) : from;
    life.last = used[root] ? std::max(life.last, to) : to;
    used[root] = true;
  };
  for (TensorId t = 0; t < graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    const TensorId root = storage(graph, t);
    of_storage[root].bytes = std::max(of_storage[root].bytes, tensor.bytes());
    if (tensor.producer) extend(root, position[*tensor.producer], position[*tensor.producer]);
    for (const OperatorId reader : tensor.consumers) extend(root, position[reader], position[reader]);
    if (tensor.kind == TensorKind::Loss) extend(root, end, end);
    if (graph.tensors[root].producer) continue;
    const TensorKind kind = graph.tensors[root].kind;
    extend(root, 0, kind == TensorKind::Input || kind == TensorKind::Label ? 0 : end);
  }
  for (const TensorId output : graph.outputs) extend(storage(graph, output), end, end);

  std::vector<Lifetime> all;
  for (TensorId t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].view_of) continue;
    of_storage[t].tensor = t;
    all.push_back(of_storage[t]);
  }
  return all;
}

Peak peak_memory(const Graph& graph, const std::vector<OperatorId>& order) {
  std::vector<Bytes> change(order.size() + 1);
  for (const Lifetime& life : lifetimes(graph, order)) {
    if (order.empty()) break;
    change[life.first] += life.bytes;
    change[life.last + 1] -= life.bytes;
  }
  Peak peak;
  Bytes alive = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    alive += change[i];
    if (alive > peak.bytes) peak = {alive, i};
  }
  return peak;
}

}  // namespace weft::workloads
