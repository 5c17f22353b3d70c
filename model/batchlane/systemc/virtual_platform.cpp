#include "model/batchlane/systemc/virtual_platform.h"

#include <memory>

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
  time_.reach(finished);
  if (kernel_.done()) return kNever;
  return time_.settle(
      memory_.memory(), [&](Cycles cycle) { return kernel_.quiet_until(cycle); },
      [&](Cycles cycles) { kernel_.wait(cycles); }, [&] { return describe_deadlock(kernel_, finished); });
}

PassResult VirtualPlatform::run(const Plan& plan, memory::Memory& memory,
                                const std::array<int, kPorts>& channel_of_port, std::vector<memory::Store>* channels,
                                const Observer& observer) {
  kernel_ = Kernel(std::make_shared<const Plan>(plan));
  memory_.load(memory, plan.with_data ? channels : nullptr, {channel_of_port.begin(), channel_of_port.end()});
  activities_ = {};
  clock_.progress = on_progress;
  clock_.observe = nullptr;
  if (observer) {
    clock_.observe = [this, &observer](Cycles finished) {
      time_.reach(finished);
      return observer(finished, kernel_);
    };
  }
  time_.run(clock_, plan.alpha.clock, {&features_, &csb_, &array_, &memory_});
  if (kernel_.done()) memory.finish();  // one that its observer ended may leave a burst without its last beats
  PassResult result = collect(kernel_, activities_, time_.cycles(), memory);
  result.skipped_cycles = time_.skipped();
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
