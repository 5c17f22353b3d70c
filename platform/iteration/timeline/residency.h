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

// A value that a tensor of the graph has, in a memory channel of the card.
using ValueAt = std::pair<workloads::TensorId, int>;

// The card's memory cannot hold what must lie there.
class CardMemoryError : public Error {
 public:
  using Error::Error;
};

// What lies in the card's memory while convolutions come and go: what they read and write, and what is kept for a later
// one. The host has a copy of everything.
class Residency {
 public:
  // `jobs`: in their order; they must outlive this.
  Residency(const workloads::Graph& graph, const std::vector<Job>& jobs, const config::Schedule& how, const Card& card);

  // The tensor that first had the value: a view (reshape) has that of what it is a view of. What the host makes of a
  // tensor for one convolution is a value of nobody else.
  workloads::TensorId value(const CardTensor& tensor) const;

  // The convolution at `place` is next. This and arrive() throw CardMemoryError.
  void begin(std::size_t place);
  void arrive(const ValueAt& value, Bytes bytes, bool ahead);  // `ahead`: for the next convolution
  void lose();                                                 // all but what the convolution is about to use
  std::vector<ValueAt> end(std::size_t place);                 // what is given up

  const std::vector<Bytes>& peak() const { return peak_; }

 private:
  bool kept(const ValueAt& value) const;
  void measure();

  const workloads::Graph& graph_;
  const std::vector<Job>& jobs_;
  config::Transfers transfers_;
  Card card_;
  std::map<ValueAt, std::size_t> last_use_;  // places of convolutions that read it
  std::map<ValueAt, Bytes> there_;           // with what is about to be sent or written
  std::size_t place_ = 0;
  std::set<ValueAt> ahead_;
  std::vector<Bytes> peak_;
};

}  // namespace weft::timeline
