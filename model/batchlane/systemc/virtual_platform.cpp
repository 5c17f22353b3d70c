#include "model/batchlane/systemc/virtual_platform.h"

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "model/core/error.h"

namespace weft::batchlane::systemc {

VirtualPlatform::VirtualPlatform(const sc_core::sc_module_name& name)
    : sc_module(name),
      clock_("clock"),
      features_("features", Host{clock_, kernel_, activities_}),
      csb_("csb", Host{clock_, kernel_, activities_}),
      array_("array", Host{clock_, kernel_, activities_}),
      memory_("memory", clock_, batchlane::topology().ports) {
  features_.features.socket.bind(memory_.socket(port_id(Port::Feature)));
  features_.results.socket.bind(memory_.socket(port_id(Port::Result)));
  csb_.csb.socket.bind(memory_.socket(port_id(Port::Csb)));
  clock_.settle = [this](Cycles finished) { return settle(finished); };
}

Cycles VirtualPlatform::settle(Cycles finished) {
  cycles_ = finished + 1;
  if (kernel_.done()) return kNever;
  // Nothing changed: nothing will until a PE is through, or a beat or a response becomes visible, which the memory
  // hands on one cycle before.
  const Cycles event = memory_.memory().next_event();
  const Cycles next = std::min(kernel_.quiet_until(cycles_), event == kNever ? kNever : std::max(cycles_, event - 1));
  if (next == kNever) {
    deadlock_ = describe_deadlock(kernel_, finished);
    return kNever;
  }
  kernel_.wait(next - cycles_);
  skipped_ += next - cycles_;
  return next;
}

PassResult VirtualPlatform::run(const Plan& plan, memory::Memory& memory,
                                const std::array<int, kPorts>& channel_of_port, std::vector<memory::Store>* channels,
                                const Observer& observer) {
  kernel_ = Kernel(std::make_shared<const Plan>(plan));
  memory_.load(memory, plan.with_data ? channels : nullptr, {channel_of_port.begin(), channel_of_port.end()});
  activities_ = {};
  skipped_ = cycles_ = 0;
  deadlock_.clear();
  clock_.progress = on_progress;
  clock_.observe = nullptr;
  if (observer) {
    clock_.observe = [this, &observer](Cycles finished) {
      cycles_ = finished + 1;
      return observer(finished, kernel_);
    };
  }
  for (weft::systemc::Stepped* process :
       std::initializer_list<weft::systemc::Stepped*>{&features_, &csb_, &array_, &memory_}) {
    process->restart();
  }
  clock_.start(plan.alpha.clock);
  sc_core::sc_start();
  if (!deadlock_.empty()) throw Deadlock(deadlock_);
  if (kernel_.done()) memory.finish();  // one that its observer ended may leave a burst without its last beats
  PassResult result = collect(kernel_, activities_, cycles_, memory);
  result.skipped_cycles = skipped_;
  return result;
}

VirtualPlatform& virtual_platform() {
  static const std::unique_ptr<VirtualPlatform> platform = [] {
    weft::systemc::prepare_process();
    return std::make_unique<VirtualPlatform>("batchlane");
  }();
  return *platform;
}

}  // namespace weft::batchlane::systemc
