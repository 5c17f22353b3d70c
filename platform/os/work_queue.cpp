#include "platform/os/work_queue.h"

#include <numeric>

namespace weft::os {

void WorkQueue::deal(const std::vector<std::int64_t>& weights, int workers) {
  workers_ = static_cast<std::size_t>(workers);
  const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::uint32_t next = 0;
  std::int64_t dealt = 0;
  for (std::size_t worker = 0; worker < workers_; ++worker) {
    const auto share_ends = static_cast<std::int64_t>(static_cast<double>(all) * static_cast<double>(worker + 1) /
                                                      static_cast<double>(workers_));
    const std::uint32_t begin = next;
    const bool last = worker + 1 == workers_;
    // A job belongs to the share that contains its middle.
    while (next < weights.size() && (last || dealt + weights[next] / 2 < share_ends)) dealt += weights[next++];
    shares_[worker].store({begin, next});
  }
}

std::optional<std::size_t> WorkQueue::take(int worker, const std::vector<std::int64_t>& weights) {
  const auto own = static_cast<std::size_t>(worker);
  Share share = shares_[own].load();
  while (!share.empty()) {
    if (shares_[own].compare_exchange_weak(share, {share.begin + 1, share.end})) return share.begin;
  }
  return take_from_others(own, weights);
}

// The worker's own share is empty, so no other worker steals from it meanwhile.
std::optional<std::size_t> WorkQueue::take_from_others(std::size_t own, const std::vector<std::int64_t>& weights) {
  const auto weight = [&weights](const Share& share) {
    return std::accumulate(weights.begin() + share.begin, weights.begin() + share.end, std::int64_t{0});
  };
  for (;;) {
    std::size_t richest = own;
    Share most;
    std::int64_t heaviest = -1;
    for (std::size_t other = 0; other < workers_; ++other) {
      const Share share = shares_[other].load();
      if (share.empty() || weight(share) <= heaviest) continue;
      richest = other;
      most = share;
      heaviest = weight(share);
    }
    if (most.empty()) return std::nullopt;
    // Steals the last job in any case, and more jobs up to half of the weight.
    std::uint32_t cut = most.end - 1;
    for (std::int64_t taken = weights[cut]; cut > most.begin; --cut) {
      taken += weights[cut - 1];
      if (taken > heaviest / 2) break;
    }
    Share expected = most;
    if (!shares_[richest].compare_exchange_strong(expected, {most.begin, cut})) continue;
    shares_[own].store({cut + 1, most.end});
    return cut;
  }
}

}  // namespace weft::os
