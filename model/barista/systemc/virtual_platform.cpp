#include "model/barista/systemc/virtual_platform.h"

#include <memory>

#include "kernels/fp32.h"

namespace weft::barista::systemc {

VirtualPlatform::VirtualPlatform(const sc_core::sc_module_name& name)
    : sc_module(name),
      clock_("clock"),
      a_("a", Host{clock_, kernel_, activities_}, &Kernel::a, &Kernel::step_a, Block::AReader),
      b_("b", Host{clock_, kernel_, activities_}, &Kernel::b, &Kernel::step_b, Block::BReader),
      mesh_("mesh", Host{clock_, kernel_, activities_}),
      c_("c", Host{clock_, kernel_, activities_}),
      a_tile_(to_string(FifoId::ATile), kernel_.fifos[FifoId::ATile], a_, mesh_),
      b_tile_(to_string(FifoId::BTile), kernel_.fifos[FifoId::BTile], b_, mesh_),
      c_tile_(to_string(FifoId::CTile), kernel_.fifos[FifoId::CTile], mesh_, c_),
      memory_("memory", clock_, barista::topology().ports) {
  a_.tile(a_tile_);
  b_.tile(b_tile_);
  mesh_.a_tile(a_tile_);
  mesh_.b_tile(b_tile_);
  mesh_.c_tile(c_tile_);
  c_.tile(c_tile_);
  a_.memory.bind(memory_.socket(port_id(Port::A)));
  b_.memory.bind(memory_.socket(port_id(Port::B)));
  c_.memory.bind(memory_.socket(port_id(Port::C)));
  clock_.settle = [this](Cycles finished) { return settle(finished); };
}

Cycles VirtualPlatform::settle(Cycles finished) {
  time_.reach(finished);
  if (kernel_.done()) return kNever;
  return time_.settle(
      memory_.memory(), [&](Cycles cycle) { return kernel_.quiet_until(cycle); },
      [&](Cycles cycles) { account_waits(kernel_, cycles); }, [&] { return describe_deadlock(kernel_, finished); });
}

GemmResult VirtualPlatform::run(const Plan& plan, memory::Memory& memory,
                                const std::array<int, kPorts>& channel_of_port, std::vector<memory::Store>* channels,
                                Observer* observer) {
  const fp32::PeArithmetic arithmetic;
  kernel_ = Kernel(std::make_shared<const Plan>(plan));
  memory_.load(memory, plan.with_data ? channels : nullptr, {channel_of_port.begin(), channel_of_port.end()});
  activities_ = {};
  clock_.progress = on_progress;
  clock_.observe = nullptr;
  if (observer) {
    clock_.observe = [this, observer](Cycles finished) {
      time_.reach(finished);
      return observer->after(finished, kernel_);
    };
  }
  time_.run(clock_, plan.alpha.clock, {&a_, &b_, &mesh_, &c_, &memory_});
  if (kernel_.done()) memory.finish();  // one that its observer ended may leave a burst without its last beats
  GemmResult result = collect(kernel_, activities_, time_.cycles(), memory);
  result.skipped_cycles = time_.skipped();
  return result;
}

VirtualPlatform& virtual_platform() {
  static const std::unique_ptr<VirtualPlatform> platform = [] {
    weft::systemc::prepare_process();
    return std::make_unique<VirtualPlatform>("barista");
  }();
  return *platform;
}

}  // namespace weft::barista::systemc
