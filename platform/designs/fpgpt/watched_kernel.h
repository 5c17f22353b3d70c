#pragma once

#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/hardware/waves/watched_states.h"
#include "platform/hardware/waves/watcher.h"

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
  waves::WatchedStates watched_{kFifos, kPorts};
};

}  // namespace weft::fpgpt
