#include "model/barista/systemc/virtual_platform.h"

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "kernels/fp32.h"
#include "model/core/error.h"

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
  cycles_ = finished + 1;
  if (kernel_.done()) return kNever;
  // Nothing changed: nothing will until the mesh is through with what it is at, or a beat or a response becomes
  // visible, which the memory hands on one cycle before.
  const Cycles event = memory_.memory().next_event();
  const Cycles next = std::min(kernel_.quiet_until(cycles_), event == kNever ? kNever : std::max(cycles_, event - 1));
  if (next == kNever) {
    deadlock_ = describe_deadlock(kernel_, finished);
    return kNever;
  }
  account_waits(kernel_, next - cycles_);
  skipped_ += next - cycles_;
  return next;
}

GemmResult VirtualPlatform::run(const Plan& plan, memory::Memory& memory,
                                const std::array<int, kPorts>& channel_of_port, std::vector<memory::Store>* channels,
                                Observer* observer) {
  const fp32::PeArithmetic arithmetic;
  kernel_ = Kernel(std::make_shared<const Plan>(plan));
  memory_.load(memory, plan.with_data ? channels : nullptr, {channel_of_port.begin(), channel_of_port.end()});
  activities_ = {};
  skipped_ = cycles_ = 0;
  deadlock_.clear();
  clock_.progress = on_progress;
  clock_.observe = nullptr;
  if (observer) {
    clock_.observe = [this, observer](Cycles finished) {
      cycles_ = finished + 1;
      return observer->after(finished, kernel_);
    };
  }
  for (weft::systemc::Stepped* process :
       std::initializer_list<weft::systemc::Stepped*>{&a_, &b_, &mesh_, &c_, &memory_}) {
    process->restart();
  }
  clock_.start(plan.alpha.clock);
  sc_core::sc_start();
  if (!deadlock_.empty()) throw Deadlock(deadlock_);
  if (kernel_.done()) memory.finish();  // one that its observer ended may leave a burst without its last beats
  GemmResult result = collect(kernel_, activities_, cycles_, memory);
  result.skipped_cycles = skipped_;
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
