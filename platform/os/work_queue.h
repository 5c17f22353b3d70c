#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::os {

inline constexpr int kMaxWorkers = 256;

// Work stealing. Jobs are dealt to workers so that neighbours mostly go to the same worker, which can reuse its
// knowledge of the previous job. Each worker has a share, jobs in a row, and takes from its front; when its share is
// empty, it steals the back half of another one. A WorkQueue consists of plain atomics, so it may be in memory that
// processes share. A worker that dies, at any moment, loses only its own share.
class WorkQueue {
 public:
  // Gives `workers` workers (1 to kMaxWorkers) about the same weight. `weights`: of each job, in their order, not
  // negative; at most 2^32 - 1 jobs.
  void deal(const std::vector<std::int64_t>& weights, int workers);

  // Takes the next job of a worker; returns nothing if every job is taken. `weights` as in deal().
  std::optional<std::size_t> take(int worker, const std::vector<std::int64_t>& weights);

 private:
  struct alignas(std::uint64_t) Share {  // else clang reads and writes it by calls of libatomic
    std::uint32_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
  };
  static_assert(std::atomic<Share>::is_always_lock_free);

  std::optional<std::size_t> take_from_others(std::size_t own, const std::vector<std::int64_t>& weights);

  std::size_t workers_ = 0;
  std::array<std::atomic<Share>, kMaxWorkers> shares_{};
};

}  // namespace weft::os
