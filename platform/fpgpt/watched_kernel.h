#pragma once

#include <array>

#include "model/core/cycle_states.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/waves/watcher.h"

namespace weft::fpgpt {

// Shows a watcher the cycles of a run of the virtual platform, whose AXI side refuses nothing.
class WatchedKernel : public systemc::Observer {
 public:
  explicit WatchedKernel(waves::Watcher& watcher) : watcher_(watcher) {}

  systemc::Ready ready() override { return {}; }
  bool after(Cycles now, const Kernel& kernel) override;

 private:
  waves::Watcher& watcher_;
  CycleStates states_;
  std::array<int, kFifos> fills_{};    // at the end of the last cycle
  std::array<Cycles, kPorts> busy_{};  // likewise: cycles in which a read port moved a beat
};

}  // namespace weft::fpgpt
