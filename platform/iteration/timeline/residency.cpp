#include "platform/iteration/timeline/residency.h"

#include <fmt/core.h>

#include <algorithm>
#include <variant>

namespace weft::timeline {

using workloads::TensorId;

namespace {

constexpr Bytes kPage = 4096;  // alignment of tensor bases (contract, section 2)

Bytes placed(Bytes bytes) {
  return ceil_div(bytes, kPage) * kPage;
}

}  // namespace

Residency::Residency(const workloads::Graph& graph, const std::vector<Job>& jobs, const config::Schedule& how,
                     const Card& card)
    : graph_(graph),
      jobs_(jobs),
      transfers_(how.transfers),
      card_(card),
      peak_(static_cast<std::size_t>(card.channels), 0) {
  for (std::size_t place = 0; place < jobs.size(); ++place) {
    for (const CardTensor& input : jobs[place].inputs) {
      if (input.whole) last_use_[{value(input), input.channel}] = place;
    }
  }
}

TensorId Residency::value(const CardTensor& tensor) const {
  TensorId id = tensor.tensor;
  // Tensors made by the host for one convolution get ids after the graph's tensors.
  if (!tensor.whole) return graph_.tensors.size() + id;
  for (auto producer = graph_.tensors[id].producer; producer; producer = graph_.tensors[id].producer) {
    const workloads::Operator& op = graph_.operators[*producer];
    if (!std::holds_alternative<workloads::ViewOp>(op.what) || op.inputs.size() != 1) break;
    id = op.inputs.front();
  }
  return id;
}

bool Residency::kept(const ValueAt& value) const {
  if (transfers_ == config::Transfers::KeepActivations) return value.first < graph_.tensors.size();
  return transfers_ == config::Transfers::KeepWeights && value.first < graph_.tensors.size() &&
         graph_.tensors[value.first].kind == workloads::TensorKind::Weight;
}

void Residency::begin(std::size_t place) {
  place_ = place;
  for (const auto* tensors : {&jobs_[place].inputs, &jobs_[place].outputs}) {
    for (const CardTensor& tensor : *tensors) there_[{value(tensor), tensor.channel}] = tensor.bytes;
  }
  measure();
}

void Residency::arrive(const ValueAt& value, Bytes bytes, bool ahead) {
  there_[value] = bytes;
  if (ahead) ahead_.insert(value);
  measure();
}

void Residency::measure() {
  std::vector<Bytes> sums(peak_.size(), 0);
  for (const auto& [key, bytes] : there_) sums.at(static_cast<std::size_t>(key.second)) += placed(bytes);
  for (std::size_t channel = 0; channel < sums.size(); ++channel) {
    peak_[channel] = std::max(peak_[channel], sums[channel]);
    if (sums[channel] <= card_.bytes_per_channel) continue;
    throw CardMemoryError(
        fmt::format("{}: memory channel {} of the card would hold {} bytes, {} more than its {}; a smaller batch "
                    "or a schedule that keeps less (transfers is {}) needs less",
                    workloads::label(graph_.operators[jobs_[place_].op]), channel, sums[channel],
                    sums[channel] - card_.bytes_per_channel, card_.bytes_per_channel, config::to_string(transfers_)));
  }
}

void Residency::lose() {
  there_.clear();
  ahead_.clear();
  begin(place_);
}

std::vector<ValueAt> Residency::end(std::size_t place) {
  std::vector<ValueAt> gone;
  for (const auto& [key, bytes] : there_) {
    const auto use = last_use_.find(key);
    const bool later = use != last_use_.end() && use->second > place;
    if (!later || !(kept(key) || ahead_.count(key) != 0)) gone.push_back(key);
  }
  for (const ValueAt& key : gone) there_.erase(key);
  ahead_.clear();
  return gone;
}

}  // namespace weft::timeline
