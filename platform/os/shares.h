#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::os {

inline constexpr int kMaxWorkers = 256;

// Jobs that are dealt to workers so that neighbours mostly meet the same one, which makes use of what it learnt of the
// job before. Each has a share, jobs in a row, and takes them from its front; one whose share is used up goes on with
// the back half of what another has left. Plain atomics: it may lie in memory that processes share, and a worker that
// dies, at whatever moment, takes no more with it than its own share.
class Shares {
 public:
  // `weights`: of each job, in their order: not negative, at most 2^32 - 1 jobs. So many workers, 1 to kMaxWorkers, get
  // about the same weight.
  void deal(const std::vector<std::int64_t>& weights, int workers);

  // The next job of a worker; nothing if none is left that nobody took. `weights` as dealt.
  std::optional<std::size_t> take(int worker, const std::vector<std::int64_t>& weights);

 private:
  struct Share {
    std::uint32_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
  };
  static_assert(std::atomic<Share>::is_always_lock_free);

  std::optional<std::size_t> take_from_others(std::size_t own, const std::vector<std::int64_t>& weights);

  std::size_t workers_ = 0;
  std::array<std::atomic<Share>, kMaxWorkers> shares_{};
};

}  // namespace weft::os
