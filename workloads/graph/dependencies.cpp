#include "workloads/graph/dependencies.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "model/core/error.h"

namespace weft::workloads {

namespace {

void sort_once(std::vector<OperatorId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

bool overwrites(const Operator& op, TensorId tensor) {
  return std::find(op.overwrites.begin(), op.overwrites.end(), tensor) != op.overwrites.end();
}

// Views of each tensor with the same content; views written by in-place operators are left out.
std::vector<std::vector<TensorId>> same_values(const Graph& graph) {
  std::vector<std::vector<TensorId>> views(graph.tensors.size());
  for (TensorId t = 0; t < graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (!tensor.view_of) continue;
    if (tensor.producer && overwrites(graph.operators[*tensor.producer], *tensor.view_of)) continue;
    views[*tensor.view_of].push_back(t);
  }
  return views;
}

}  // namespace

std::vector<OperatorId> given_order(const Graph& graph) {
  std::vector<OperatorId> order(graph.operators.size());
  std::iota(order.begin(), order.end(), OperatorId{0});
  return order;
}

Dependencies::Dependencies(const Graph& graph)
    : predecessors_(graph.operators.size()), successors_(graph.operators.size()) {
  const std::vector<std::vector<TensorId>> views = same_values(graph);
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const Operator& op = graph.operators[id];
    for (const TensorId t : op.inputs) {
      if (graph.tensors[t].producer) predecessors_[id].push_back(*graph.tensors[t].producer);
    }
    std::vector<TensorId> lost = op.overwrites;  // tensors whose content is lost after the operator
    for (std::size_t i = 0; i < lost.size(); ++i) {
      const std::vector<OperatorId>& readers = graph.tensors[lost[i]].consumers;
      std::copy_if(readers.begin(), readers.end(), std::back_inserter(predecessors_[id]),
                   [&](OperatorId reader) { return reader != id; });
      lost.insert(lost.end(), views[lost[i]].begin(), views[lost[i]].end());
    }
    sort_once(predecessors_[id]);
    for (const OperatorId before : predecessors_[id]) successors_[before].push_back(id);
  }
  // Operators that cannot be ordered are on a cycle or depend on one.
  std::vector<std::size_t> missing(size());
  std::vector<OperatorId> ready;
  for (OperatorId id = 0; id < size(); ++id) {
    missing[id] = predecessors_[id].size();
    if (missing[id] == 0) ready.push_back(id);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const OperatorId next : successors_[ready[i]]) {
      if (--missing[next] == 0) ready.push_back(next);
    }
  }
  if (ready.size() == size()) return;
  OperatorId at = static_cast<OperatorId>(
      std::find_if(missing.begin(), missing.end(), [](std::size_t n) { return n > 0; }) - missing.begin());
  for (std::size_t i = 0; i < size(); ++i) {  // going back from an operator after a cycle ends on the cycle
    at = *std::find_if(predecessors_[at].begin(), predecessors_[at].end(),
                       [&](OperatorId before) { return missing[before] > 0; });
  }
  throw Error(fmt::format("graph {}: {} depends on itself, through a cycle", graph.name, label(graph.operators[at])));
}

bool Dependencies::allows(const std::vector<OperatorId>& order) const {
  if (order.size() != size()) return false;
  std::vector<bool> done(size());
  for (const OperatorId id : order) {
    if (id >= size() || done[id]) return false;
    if (!std::all_of(predecessors_[id].begin(), predecessors_[id].end(), [&](OperatorId p) { return done[p]; })) {
      return false;
    }
    done[id] = true;
  }
  return true;
}

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
