#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "platform/config/schedule.h"
#include "platform/iteration/timeline/job.h"
#include "workloads/graph/graph.h"

namespace weft::timeline {

// The value of a tensor of the graph, and the card's memory channel that holds it.
using ValueAt = std::pair<workloads::TensorId, int>;

// Error: the card's memory cannot hold the required tensors.
class CardMemoryError : public Error {
 public:
  using Error::Error;
};

// Tensors in the card's memory over the sequence of convolutions: operands and results of the current one, and values
// kept for a later one. The host has a copy of every value.
class Residency {
 public:
  // `jobs`: in execution order; must outlive this object.
  Residency(const workloads::Graph& graph, const std::vector<Job>& jobs, const config::Schedule& how, const Card& card);

  // Returns the tensor that identifies the value: the viewed tensor for a view (reshape). Tensors that the host makes
  // for one convolution only have a value of their own.
  workloads::TensorId value(const CardTensor& tensor) const;

  // Begins the convolution at `place`. begin() and arrive() throw CardMemoryError.
  void begin(std::size_t place);
  void arrive(const ValueAt& value, Bytes bytes, bool ahead);  // `ahead`: for the next convolution
  void lose();                                                 // all values except those of the current convolution
  std::vector<ValueAt> end(std::size_t place);                 // returns the values that are dropped

  const std::vector<Bytes>& peak() const { return peak_; }

 private:
  bool kept(const ValueAt& value) const;
  void measure();

  const workloads::Graph& graph_;
  const std::vector<Job>& jobs_;
  config::Transfers transfers_;
  Card card_;
  std::map<ValueAt, std::size_t> last_use_;  // indices of convolutions that read it
  std::map<ValueAt, Bytes> there_;           // includes values about to be sent or written
  std::size_t place_ = 0;
  std::set<ValueAt> ahead_;
  std::vector<Bytes> peak_;
};

}  // namespace weft::timeline
