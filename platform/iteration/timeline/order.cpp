#include "platform/iteration/timeline/order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace weft::timeline {

using workloads::Dependencies;
using workloads::OperatorId;

namespace {

// The operators whose predecessors are all in the order built so far.
class Ready {
 public:
  Ready(const Dependencies& dependencies, const Kernels& kernels) : dependencies_(dependencies), kernels_(kernels) {
    waiting_.reserve(dependencies.size());
    for (OperatorId op = 0; op < dependencies.size(); ++op) {
      waiting_.push_back(dependencies.predecessors(op).size());
      if (waiting_.back() == 0) add(op);
    }
  }

  bool has_host_operator() const { return !host_.empty(); }
  bool has_job_of(std::size_t kernel) const { return jobs_.count(kernel) != 0; }

  // Takes the next operator; `loaded`: the kernel loaded then.
  OperatorId take(std::optional<std::size_t>& loaded) {
    if (!host_.empty()) return taken(host_, *host_.begin());
    if (!loaded || jobs_[*loaded].empty()) {
      const auto most = std::max_element(jobs_.begin(), jobs_.end(), [](const auto& a, const auto& b) {
        if (a.second.size() != b.second.size()) return a.second.size() < b.second.size();
        return !b.second.empty() && *a.second.begin() > *b.second.begin();
      });
      loaded = most->first;
    }
    return taken(jobs_[*loaded], *jobs_[*loaded].begin());
  }

 private:
  void add(OperatorId op) { (kernels_[op] ? jobs_[*kernels_[op]] : host_).insert(op); }
  OperatorId taken(std::set<OperatorId>& from, OperatorId op) {
    from.erase(op);
    for (const OperatorId next : dependencies_.successors(op)) {
      if (--waiting_[next] == 0) add(next);
    }
    return op;
  }

  const Dependencies& dependencies_;
  const Kernels& kernels_;
  std::vector<std::size_t> waiting_;
  std::set<OperatorId> host_;
  std::map<std::size_t, std::set<OperatorId>> jobs_;  // by kernel
};

}  // namespace

std::int64_t loads(const std::vector<OperatorId>& order, const Kernels& kernels) {
  std::optional<std::size_t> loaded;
  for (const OperatorId op : order) {
    if (kernels[op]) loaded = kernels[op];  // the kernel that the previous iteration ends with
  }
  std::int64_t count = 0;
  for (const OperatorId op : order) {
    if (!kernels[op]) continue;
    if (kernels[op] != loaded) ++count;
    loaded = kernels[op];
  }
  return count;
}

std::vector<OperatorId> fewest_loads(const Dependencies& dependencies, const Kernels& kernels) {
  std::vector<OperatorId> best(dependencies.size());
  std::iota(best.begin(), best.end(), OperatorId{0});
  Ready first(dependencies, kernels);
  std::vector<OperatorId> on_host;  // before the first convolution
  std::optional<std::size_t> none;
  while (first.has_host_operator()) on_host.push_back(first.take(none));
  // The kernel loaded at the start affects the load between iterations: each that can run first is tried.
  std::set<std::optional<std::size_t>> starts(kernels.begin(), kernels.end());
  starts.insert(none);
  for (std::optional<std::size_t> loaded : starts) {
    if (loaded && !first.has_job_of(*loaded)) continue;
    Ready ready = first;
    std::vector<OperatorId> order = on_host;
    while (order.size() < dependencies.size()) order.push_back(ready.take(loaded));
    if (loads(order, kernels) < loads(best, kernels)) best = order;
  }
  return best;
}

std::int64_t least_loads(const Dependencies& dependencies, const Kernels& kernels) {
  std::set<std::optional<std::size_t>> distinct(kernels.begin(), kernels.end());
  distinct.erase(std::nullopt);
  const auto count = static_cast<std::int64_t>(distinct.size());
  // Most kernel changes on a path to each operator, by the kernel of the last convolution on the path.
  std::vector<std::map<std::size_t, std::int64_t>> changes(dependencies.size());
  std::int64_t most = 0;
  for (OperatorId op = 0; op < dependencies.size(); ++op) {
    std::map<std::size_t, std::int64_t> before;
    for (const OperatorId each : dependencies.predecessors(op)) {
      for (const auto& [kernel, number] : changes[each]) {
        std::int64_t& known = before.try_emplace(kernel, 0).first->second;
        known = std::max(known, number);
      }
    }
    if (!kernels[op]) {
      changes[op] = std::move(before);
      continue;
    }
    std::int64_t number = 0;
    for (const auto& [kernel, until] : before) number = std::max(number, until + (kernel == *kernels[op] ? 0 : 1));
    changes[op] = {{*kernels[op], number}};
    most = std::max(most, number);
  }
  return std::max(most, count > 1 ? count : 0);
}

}  // namespace weft::timeline
