#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/batchlane/buffers.h"
#include "model/batchlane/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"

namespace weft::batchlane {

// Why a worker does nothing in a cycle.
enum class Wait : std::uint8_t { None, Imbalance, Channel, Strip, Gradients, Bank, Done };
inline constexpr std::size_t kWaits = 7;

// What the array shares with its neighbours.
struct ArrayFifos {
  Fifo& channel;
  Fifo& strip;
  Fifo& gradients;
  Fifo& bank;
  Fifo& partial;
};

// The PEs (PE-1 to PE-7). A worker is a PE, or those that split pixels.
class Array {
 public:
  Array() = default;
  explicit Array(const Plan& plan);

  Activity step(Cycles now, const Plan& plan, const ArrayFifos& fifos, Buffers& buffers);
  // Whether it was active in its last step without touching a FIFO, and answers alike until quiet_until().
  bool steady() const { return steady_; }
  Cycles quiet_until(Cycles now) const { return next_end_ >= now ? next_end_ : kNever; }
  // Worker-cycles that were busy, and of each reason to wait; no part of its state.
  void count(Cycles cycles) {
    for (std::size_t i = 0; i < kWaits; ++i) waited_[i] += cycles * waiting_[i];
  }
  const std::array<std::int64_t, kWaits>& waited() const { return waited_; }

 private:
  struct Worker {
    std::int64_t step = 0;   // that it is at
    Cycles end = -1;         // the first cycle behind its kernels of it; -1: it has not begun
    std::int64_t unit = -1;  // whose bank it has cleared
  };

  void look(Cycles now, const Plan& plan, const ArrayFifos& fifos, Buffers& buffers);
  Wait advance(Cycles now, const Plan& plan, const ArrayFifos& fifos, Buffers& buffers, int index);
  bool release(Cycles now, const Plan& plan, const ArrayFifos& fifos);

  std::vector<Worker> workers_;
  std::vector<Wait> why_;
  std::int64_t finished_ = 0;  // steps that every worker is through with ...
  std::int64_t freed_ = 0;     // ... and those whose buffers are free
  std::int64_t banks_ = 0;     // units that have been pushed
  std::int64_t blocks_ = 0;    // blocks whose gradients are free
  Cycles next_end_ = -1;       // the first end of a worker that is busy
  std::array<std::int64_t, 5> seen_{};
  bool steady_ = false, full_ = false;
  std::array<int, kWaits> waiting_{};  // workers, by why they wait; None: busy
  std::array<std::int64_t, kWaits> waited_{};
};

}  // namespace weft::batchlane
