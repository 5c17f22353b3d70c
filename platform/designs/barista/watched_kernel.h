#pragma once

#include "model/barista/observer.h"
#include "platform/hardware/waves/watched_states.h"
#include "platform/hardware/waves/watcher.h"

namespace weft::barista {

// Shows a watcher the cycles of a GEMM, whose AXI side refuses nothing.
class WatchedKernel : public Observer {
 public:
  explicit WatchedKernel(waves::Watcher& watcher) : watcher_(watcher) {}

  bool after(Cycles now, const Kernel& kernel) override;

 private:
  waves::Watcher& watcher_;
  CycleStates states_;
  waves::WatchedStates watched_{kFifos, kPorts};
};

}  // namespace weft::barista
