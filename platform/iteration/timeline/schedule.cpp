#include "platform/iteration/timeline/schedule.h"

#include <algorithm>
#include <numeric>

#include "platform/iteration/timeline/order.h"
#include "platform/iteration/timeline/residency.h"

namespace weft::timeline {

using config::Overlap;
using link::Direction;
using workloads::OperatorId;
using workloads::TensorId;

namespace {

// A time, and the step that ends then; none at time 0.
struct Moment {
  Picoseconds time = 0;
  std::optional<std::size_t> step;
};
Moment later(const Moment& a, const Moment& b) {
  return b.time > a.time ? b : a;
}

std::vector<OperatorId> order_of(const Iteration& iteration, const Kernels& kernels, config::Order how) {
  if (how == config::Order::FewestLoads) return fewest_loads(*iteration.dependencies, kernels);
  return workloads::given_order(*iteration.graph);
}

class Scheduler {
 public:
  Scheduler(const Iteration& iteration, const Prices& prices, const config::Schedule& how, const Card& card)
      : iteration_(iteration), graph_(*iteration.graph), prices_(prices), how_(how), card_(card) {
    kernels_.reserve(graph_.operators.size());
    for (const auto& job : iteration.jobs) {
      kernels_.push_back(job ? std::optional<std::size_t>(job->kernel) : std::nullopt);
    }
  }

  Timeline run() {
    const std::vector<OperatorId> order = order_of(iteration_, kernels_, how_.order);
    for (const OperatorId op : order) {
      if (iteration_.jobs[op]) jobs_.push_back(*iteration_.jobs[op]);
    }
    for (std::size_t place = 1; place < jobs_.size(); place += 2) use_other_channels(jobs_[place]);
    if (!jobs_.empty()) loaded_ = jobs_.back().kernel;
    residency_.emplace(graph_, jobs_, how_, card_);
    std::size_t place = 0;
    for (const OperatorId op : order) {
      if (iteration_.jobs[op]) {
        convolution(place++);
      } else {
        host_operator(op);
      }
    }
    finish(order);
    return std::move(timeline_);
  }

 private:
  void use_other_channels(Job& job) const {
    if (how_.overlap == Overlap::None) return;
    for (auto* tensors : {&job.inputs, &job.outputs}) {
      for (CardTensor& tensor : *tensors) {
        const auto other = iteration_.other_channels.find(tensor.channel);
        if (other != iteration_.other_channels.end()) tensor.channel = other->second;
      }
    }
  }

  // Adds a step that starts after `start` when its resource is free. A duration of 0 adds no step.
  Moment add(StepKind activity, OperatorId op, Picoseconds duration, Moment start, Bytes bytes = 0,
             std::string what = {}) {
    if (duration == 0) return start;
    start = earliest(activity, start);
    push(activity, op, start, duration, bytes, std::move(what));
    Moment& free = free_[static_cast<std::size_t>(resource_of(activity))];
    free = {timeline_.steps.back().end, timeline_.steps.size() - 1};
    if (!ahead(activity)) now_ = later(now_, free);
    return free;
  }
  Moment earliest(StepKind activity, Moment start) const {
    start = later(start, free_[static_cast<std::size_t>(resource_of(activity))]);
    return how_.overlap == Overlap::None && !ahead(activity) ? later(start, now_) : start;
  }
  void push(StepKind activity, OperatorId op, const Moment& start, Picoseconds duration, Bytes bytes,
            std::string what) {
    Step step;
    step.activity = activity;
    step.op = op;
    step.what = std::move(what);
    step.start = step.end = start.time;
    checked::add(step.end, duration, "the picoseconds of a training iteration");
    step.bytes = bytes;
    step.after = start.step;
    timeline_.steps.push_back(std::move(step));
  }
  // True if the host continues during the activity.
  bool ahead(StepKind activity) const {
    return activity == StepKind::Reconfiguration && how_.load_time == config::LoadTime::Ahead;
  }

  void host_operator(OperatorId op) {
    // Transfers may overlap a kernel, host operators may not.
    Moment start = kernel_end_;
    for (const TensorId tensor : graph_.operators[op].inputs) start = later(start, on_host(tensor));
    const Picoseconds duration = prices_.host_operator(op);
    Moment end;
    if (duration > 0) {
      end = add(StepKind::HostOperator, op, duration, start);
    } else {  // a view: a step of the iteration that delays nothing
      end = earliest(StepKind::HostOperator, start);
      push(StepKind::HostOperator, op, end, 0, 0, {});
    }
    for (const TensorId tensor : graph_.operators[op].outputs) at_host_[tensor] = end;
  }

  Moment on_host(TensorId tensor) const {
    const auto found = at_host_.find(tensor);
    return found == at_host_.end() ? Moment{} : found->second;
  }

  void convolution(std::size_t place) {
    const Job& job = jobs_[place];
    if (job.host_prepared) {
      serve(job);
      return;
    }
    residency_->begin(place);
    load(job);
    for (const CardTensor& input : job.inputs) {
      if (on_card_.count({residency_->value(input), input.channel}) == 0) send(job, input, nullptr);
    }
    compute(place);
    for (const CardTensor& output : job.outputs) fetch(job, output);
    fetched_before_ = std::exchange(fetched_, link_end_of_outputs_);
    for (const auto& gone : residency_->end(place)) on_card_.erase(gone);
  }

  // Runs the launches in sequence, each with its host work, transfers and the wait for its end.
  void serve(const Job& job) {
    const design::HostPrepared& host_prepared = *job.host_prepared;
    load(job);
    Moment at = kernel_end_;
    const workloads::Operator& op = graph_.operators[job.op];
    for (const TensorId input : op.inputs) at = later(at, on_host(input));
    for (const std::size_t operand : {0U, 1U}) {
      if (quantises(job, op.inputs.at(operand))) at = quantise(job, op.inputs[operand], at);
    }
    for (const Launch& each : job.launches) {
      at = add(StepKind::Im2col, job.op, prices_.im2col(host_prepared.im2col_bytes), at, host_prepared.im2col_bytes);
      at = later(add(StepKind::Tiling, job.op, prices_.tile(host_prepared), at), memory_from_);
      for (const auto& sent : host_prepared.to_card) at = migrate(Direction::HostToCard, job.op, sent, at);
      timeline_.calls += 1;
      timeline_.launches += 1;
      at = add(StepKind::Call, job.op, prices_.launch_software, later(at, ready_), 0, "launch");
      at = launch(job, each, at).done;
      for (const auto& fetched : host_prepared.to_host) at = migrate(Direction::CardToHost, job.op, fetched, at);
      at = add(StepKind::Untiling, job.op, prices_.untile(host_prepared), at);
    }
    if (job.format.is_fixed()) at = dequantise(job, op.outputs.front(), at);
    for (const TensorId output : op.outputs) at_host_[output] = at;
    std::map<int, Bytes> there;
    for (const auto& sent : host_prepared.to_card) there[sent.channel] += sent.bytes;
    for (const auto& [channel, bytes] : there) {
      Bytes& peak = served_peak_[channel];
      peak = std::max(peak, bytes);
    }
  }

  Moment migrate(Direction direction, OperatorId op, const design::HostPrepared::Migration& what, const Moment& start) {
    const CallTime time = prices_.transfer(direction, what.bytes);
    const Moment called = add(StepKind::Call, op, time.software, start, 0, what.name);
    return on_link(direction, op, what, called, time.whole - time.software);
  }

  void load(const Job& job) {
    if (loaded_ == job.kernel) return;
    const bool whole = how_.load == config::LoadKind::Card;
    // The outputs of the previous kernel must be fetched first: the load loses the memory, or the kernel.
    Moment start = later(kernel_end_, whole ? fetched_ : Moment{});
    timeline_.loads += 1;
    ready_ = add(StepKind::Reconfiguration, job.op, prices_.reconfiguration, start, 0,
                 iteration_.kernel_names.at(job.kernel));
    if (!timeline_.steps.empty() && prices_.reconfiguration > 0) timeline_.steps.back().kernel = job.kernel;
    loaded_ = job.kernel;
    if (!whole) return;
    for (const auto& lost : on_card_) lost_.insert(lost.first);
    on_card_.clear();
    residency_->lose();
    memory_from_ = ready_;
  }

  // Earliest time to send a tensor. `beside`: start of the kernel that the transfer may overlap; null: after its end.
  Moment ready_to_send(const CardTensor& input, const Moment* beside) const {
    Moment start = beside ? later(*beside, fetched_before_) : kernel_end_;
    // A view not yet issued is available with the tensor that it views.
    start = later(later(start, on_host(input.tensor)), on_host(residency_->value(input)));
    return later(start, memory_from_);
  }

  void send(const Job& job, const CardTensor& input, const Moment* beside) {
    Moment start = ready_to_send(input, beside);
    if (quantises(job, input.tensor)) start = quantise(job, input.tensor, start);
    if (input.reordered) {
      start = add(StepKind::Tiling, job.op, prices_.reorder(input.bytes), start, input.bytes,
                  graph_.tensors[input.tensor].name);
    } else if (!input.whole) {
      start = add(StepKind::Im2col, job.op, prices_.im2col(job.im2col_bytes), start, job.im2col_bytes);
    }
    note_sent(input, transfer(Direction::HostToCard, job.op, input, start), beside != nullptr);
  }

  // Key of a tensor's words in one format. The host keeps them until the iteration ends, because equal elements have
  // equal random bits (NUM-11).
  std::pair<TensorId, int> quantised(const Job& job, TensorId input) const {
    return {workloads::storage(graph_, input), job.format.bits};
  }
  bool quantises(const Job& job, TensorId input) const {
    return job.format.is_fixed() && quantised_.count(quantised(job, input)) == 0;
  }
  Moment quantise(const Job& job, TensorId input, const Moment& start) {
    quantised_.insert(quantised(job, input));
    const workloads::Tensor& tensor = graph_.tensors[input];
    return add(StepKind::Quantise, job.op, prices_.quantise(tensor.elements), start, 0, tensor.name);
  }
  Moment dequantise(const Job& job, TensorId output, const Moment& start) {
    const workloads::Tensor& tensor = graph_.tensors[output];
    return add(StepKind::Dequantise, job.op, prices_.dequantise(tensor.elements), start, 0, tensor.name);
  }

  void note_sent(const CardTensor& input, const Moment& there, bool ahead) {
    const ValueAt key{residency_->value(input), input.channel};
    if (lost_.erase(key) != 0) {
      timeline_.sent_again += 1;
      timeline_.sent_again_bytes += input.bytes;  // bytes on the link
    }
    on_card_[key] = there;
    residency_->arrive(key, input.bytes, ahead);
  }

  // Earliest time for the call of a transfer: the link is free, so that the call takes as long as alone, and no
  // transfer in the other direction uses the memory channel.
  Moment ready_to_call(Direction direction, const CardTensor& tensor, Moment start) const {
    const bool to_card = direction == Direction::HostToCard;
    start = later(start, free_[static_cast<std::size_t>(to_card ? Resource::ToCard : Resource::ToHost)]);
    const auto other = last_on_.find({to_card ? Direction::CardToHost : Direction::HostToCard, tensor.channel});
    return other == last_on_.end() ? start : later(start, other->second);
  }

  Moment transfer(Direction direction, OperatorId op, const CardTensor& tensor, const Moment& start) {
    const CallTime time = prices_.transfer(direction, tensor.bytes);
    const Moment called = add(StepKind::Call, op, time.software, ready_to_call(direction, tensor, start), 0,
                              graph_.tensors[tensor.tensor].name);
    return on_link(direction, op, data_of(tensor), called, time.whole - time.software);
  }

  design::HostPrepared::Migration data_of(const CardTensor& tensor) const {
    return {graph_.tensors[tensor.tensor].name, tensor.bytes, tensor.channel};
  }

  Moment on_link(Direction direction, OperatorId op, const design::HostPrepared::Migration& data, const Moment& start,
                 Picoseconds duration) {
    const bool to_card = direction == Direction::HostToCard;
    timeline_.calls += 1;
    checked::add(to_card ? timeline_.to_card : timeline_.to_host, data.bytes, "the bytes on the link");
    const Moment end = add(to_card ? StepKind::ToCard : StepKind::ToHost, op, duration, start, data.bytes, data.name);
    if (duration > 0) timeline_.steps.back().channel = data.channel;
    last_on_[{direction, data.channel}] = end;
    return end;
  }

  void compute(std::size_t place) {
    const Job& job = jobs_[place];
    Moment start = later(kernel_end_, ready_);
    for (const CardTensor& input : job.inputs) {
      start = later(start, on_card_.at({residency_->value(input), input.channel}));
    }
    // If channels are shared, the previous convolution's outputs are fetched first.
    if (shares(job, before_)) start = later(start, fetched_);
    for (std::size_t i = 0; i < job.launches.size(); ++i) {
      timeline_.calls += 1;
      timeline_.launches += 1;
      const Picoseconds software = i == 0 ? prices_.launch_software : prices_.queued_launch_software;
      start = add(StepKind::Call, job.op, software, start, 0, "launch");
      std::vector<const CardTensor*> beside;
      if (i + 1 == job.launches.size()) beside = to_prefetch(place);
      timeline_.prefetches += static_cast<std::int64_t>(beside.size());
      if (how_.overlap == Overlap::SameBank && shares(job, beside)) {
        start = compute_contended(job, start, jobs_[place + 1], beside);
        continue;
      }
      const Moment started = start;
      start = launch(job, job.launches[i], start).done;
      for (const CardTensor* tensor : beside) send(jobs_[place + 1], *tensor, &started);
    }
    before_ = &job;
  }

  struct Launched {
    Moment cycle_0, done;
  };
  Launched launch(const Job& job, const Launch& launch, const Moment& start) {
    const Moment cycle_0 = add(StepKind::Precompute, job.op, launch.precompute, start);
    mark_kernel(job.kernel);
    kernel_end_ = add(StepKind::Kernel, job.op, launch.done - launch.precompute, cycle_0);
    mark_kernel(job.kernel);
    return {cycle_0, kernel_end_};
  }

  // Simulates the kernel and the transfers together. The calls overlap the kernel.
  Moment compute_contended(const Job& job, const Moment& started, const Job& next,
                           const std::vector<const CardTensor*>& beside) {
    std::vector<Contender> contenders;
    std::vector<Moment> ready;  // earliest start of each call
    for (const CardTensor* tensor : beside) {
      const CallTime time = prices_.transfer(Direction::HostToCard, tensor->bytes);
      ready.push_back(
          earliest(StepKind::Call, ready_to_call(Direction::HostToCard, *tensor, ready_to_send(*tensor, &started))));
      contenders.push_back({Direction::HostToCard, tensor->bytes, tensor->channel,
                            ready.back().time + time.software - started.time, time.software});
    }
    const Contended contended = prices_.contended(job, contenders);
    const Launched launched = launch(job, contended.launch, started);
    for (std::size_t k = 0; k < beside.size(); ++k) {
      const Picoseconds software = contenders[k].pause, ends = started.time + contended.ends[k];
      const Moment called =
          add(StepKind::Call, next.op, software, later(ready[k], free_[static_cast<std::size_t>(Resource::ToCard)]), 0,
              graph_.tensors[beside[k]->tensor].name);
      const Moment from = later(called, launched.cycle_0);
      note_sent(*beside[k], on_link(Direction::HostToCard, next.op, data_of(*beside[k]), from, ends - from.time), true);
    }
    return launched.done;
  }

  void mark_kernel(std::size_t kernel) {
    if (!timeline_.steps.empty() && resource_of(timeline_.steps.back().activity) == Resource::Card) {
      timeline_.steps.back().kernel = kernel;
    }
  }

  // Inputs of the next convolution that can be sent during this one's kernel.
  std::vector<const CardTensor*> to_prefetch(std::size_t place) const {
    std::vector<const CardTensor*> list;
    if (how_.overlap == Overlap::None || place + 1 == jobs_.size()) return list;
    const Job& job = jobs_[place];
    const Job& next = jobs_[place + 1];
    if (next.kernel != job.kernel && how_.load == config::LoadKind::Card) return list;  // the load would lose them
    for (const CardTensor& input : next.inputs) {
      const bool made = !input.whole || quantises(next, input.tensor);  // the host computes nothing during a kernel
      if (on_card_.count({residency_->value(input), input.channel}) != 0 || made) continue;
      if (how_.overlap == Overlap::DoubleBuffer && uses(job, input.channel)) continue;
      // Available now: no operator between the two convolutions computes it.
      const auto producer = graph_.tensors[residency_->value(input)].producer;
      if (producer && at_host_.count(residency_->value(input)) == 0) continue;
      list.push_back(&input);
    }
    return list;
  }

  static bool uses(const Job& job, int channel) {
    const auto is = [&](const CardTensor& tensor) { return tensor.channel == channel; };
    return std::any_of(job.inputs.begin(), job.inputs.end(), is) ||
           std::any_of(job.outputs.begin(), job.outputs.end(), is);
  }
  static bool shares(const Job& job, const Job* before) {
    return before != nullptr && std::any_of(before->outputs.begin(), before->outputs.end(),
                                            [&](const CardTensor& tensor) { return uses(job, tensor.channel); });
  }
  static bool shares(const Job& job, const std::vector<const CardTensor*>& beside) {
    return std::any_of(beside.begin(), beside.end(),
                       [&](const CardTensor* tensor) { return uses(job, tensor->channel); });
  }
  void fetch(const Job& job, const CardTensor& output) {
    const Moment end = transfer(Direction::CardToHost, job.op, output, kernel_end_);
    at_host_[output.tensor] = end;
    if (job.format.is_fixed()) at_host_[output.tensor] = dequantise(job, output.tensor, end);
    link_end_of_outputs_ = end;
    if (output.whole) on_card_[{residency_->value(output), output.channel}] = kernel_end_;
  }

  void finish(const std::vector<OperatorId>& order) {
    std::vector<std::size_t> by_start(timeline_.steps.size());
    std::iota(by_start.begin(), by_start.end(), std::size_t{0});
    std::stable_sort(by_start.begin(), by_start.end(),
                     [&](std::size_t a, std::size_t b) { return timeline_.steps[a].start < timeline_.steps[b].start; });
    std::vector<std::size_t> place(by_start.size());
    for (std::size_t i = 0; i < by_start.size(); ++i) place[by_start[i]] = i;
    std::vector<Step> steps;
    steps.reserve(by_start.size());
    for (const std::size_t i : by_start) {
      steps.push_back(std::move(timeline_.steps[i]));
      if (steps.back().after) steps.back().after = place[*steps.back().after];
      timeline_.end = std::max(timeline_.end, steps.back().end);
    }
    timeline_.steps = std::move(steps);
    std::set<std::size_t> kernels;
    for (const Job& job : jobs_) kernels.insert(job.kernel);
    timeline_.kernels = kernels.size();
    timeline_.loads_in_given_order = loads(workloads::given_order(graph_), kernels_);
    timeline_.fewest_loads = least_loads(*iteration_.dependencies, kernels_);
    timeline_.channel_peak = residency_->peak();
    for (const auto& [channel, bytes] : served_peak_) {
      Bytes& peak = timeline_.channel_peak.at(static_cast<std::size_t>(channel));
      peak = std::max(peak, bytes);
    }
    timeline_.data_path = data_path(order);
  }

  // The longest chain of dependent operators, in which each operator's steps follow each other.
  Picoseconds data_path(const std::vector<OperatorId>& order) const {
    constexpr const char* kPath = "the picoseconds of operators that depend on each other";
    std::vector<Picoseconds> own(graph_.operators.size(), 0), until(graph_.operators.size(), 0);
    for (const Step& step : timeline_.steps) {
      if (step.activity != StepKind::Reconfiguration) checked::add(own[step.op], step.duration(), kPath);
    }
    Picoseconds longest = 0;
    for (const OperatorId op : order) {
      for (const OperatorId before : iteration_.dependencies->predecessors(op)) {
        until[op] = std::max(until[op], until[before]);
      }
      checked::add(until[op], own[op], kPath);
      longest = std::max(longest, until[op]);
    }
    return longest;
  }

  const Iteration& iteration_;
  const workloads::Graph& graph_;
  const Prices& prices_;
  const config::Schedule& how_;
  Card card_;
  Kernels kernels_;
  std::vector<Job> jobs_;  // in order of issue
  std::optional<Residency> residency_;

  Timeline timeline_;
  std::array<Moment, kResources> free_{};
  Moment now_;                                             // overlap: none: end of everything issued so far
  Moment kernel_end_;                                      // end of the last convolution
  Moment ready_;                                           // end of the last load
  Moment memory_from_;                                     // data sent before this time are lost by a load
  Moment link_end_of_outputs_, fetched_, fetched_before_;  // outputs of the last, and of the previous convolution
  const Job* before_ = nullptr;
  std::optional<std::size_t> loaded_;
  std::map<int, Bytes> served_peak_;  // by memory channel
  std::map<TensorId, Moment> at_host_;
  std::map<ValueAt, Moment> on_card_;
  std::map<std::pair<Direction, int>, Moment> last_on_;  // end of the last transfer of a memory channel
  std::set<ValueAt> lost_;
  std::set<std::pair<TensorId, int>> quantised_;  // with the bits of a word
};

}  // namespace

Timeline schedule(const Iteration& iteration, const Prices& prices, const config::Schedule& how, const Card& card) {
  return Scheduler(iteration, prices, how, card).run();
}

}  // namespace weft::timeline
