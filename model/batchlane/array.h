#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/batchlane/buffers.h"
#include "model/batchlane/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"

namespace weft::batchlane {

// Reason for which a worker does nothing in a cycle.
enum class Wait : std::uint8_t { None, Imbalance, Channel, Strip, Gradients, Bank, Done };
inline constexpr std::size_t kWaits = 7;

// FIFOs between the array and its neighbours.
struct ArrayFifos {
  Fifo& channel;
  Fifo& strip;
  Fifo& gradients;
  Fifo& bank;
  Fifo& partial;
};

// The PEs (PE-1 to PE-7). A worker is one PE, or a group of PEs that split pixels.
class Array {
 public:
  Array() = default;
  explicit Array(const Plan& plan);

  Activity step(Cycles now, const Plan& plan, const ArrayFifos& fifos, Buffers& buffers);
  // True if the last step was active without touching a FIFO; nothing changes until quiet_until().
  bool steady() const { return steady_; }
  Cycles quiet_until(Cycles now) const { return next_end_ >= now ? next_end_ : kNever; }
  // Worker-cycles that were busy, and waiting by reason. Not part of the simulated state.
  void count(Cycles cycles) {
    for (std::size_t i = 0; i < kWaits; ++i) waited_[i] += cycles * waiting_[i];
  }
  const std::array<std::int64_t, kWaits>& waited() const { return waited_; }

 private:
  struct Worker {
    std::int64_t step = 0;   // current step
    Cycles end = -1;         // first cycle after the kernels of the step; -1: not begun
    std::int64_t unit = -1;  // unit whose bank the worker has cleared last
  };

  void look(Cycles now, const Plan& plan, const ArrayFifos& fifos, Buffers& buffers);
  Wait advance(Cycles now, const Plan& plan, const ArrayFifos& fifos, Buffers& buffers, int index);
  bool release(Cycles now, const Plan& plan, const ArrayFifos& fifos);

  std::vector<Worker> workers_;
  std::vector<Wait> why_;
  std::int64_t finished_ = 0;  // steps that every worker has finished
  std::int64_t freed_ = 0;     // steps whose buffers are free
  std::int64_t banks_ = 0;     // units pushed
  Cycles next_end_ = -1;       // earliest end of a busy worker
  std::array<std::int64_t, 5> seen_{};
  bool steady_ = false, full_ = false;
  std::array<int, kWaits> waiting_{};  // workers per reason to wait; None: busy
  std::array<std::int64_t, kWaits> waited_{};
};

}  // namespace weft::batchlane
