#include "model/fpgpt/systemc/virtual_platform.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/fp32.h"
#include "model/core/error.h"

namespace weft::systemc {

using fpgpt::FifoId;
using fpgpt::Port;
using fpgpt::port_id;

namespace {

std::vector<PortInfo> memory_ports() {
  std::vector<PortInfo> ports = fpgpt::topology().ports;
  ports.insert(ports.end(), kDmaPorts.begin(), kDmaPorts.end());
  return ports;
}

}  // namespace

VirtualPlatform::VirtualPlatform(const sc_core::sc_module_name& name)
    : sc_module(name),
      clock_("clock"),
      inp_("inp", Host{clock_, kernel_, activities_}),
      kern_("kern", Host{clock_, kernel_, activities_}),
      array_("array", Host{clock_, kernel_, activities_}),
      out_("out", Host{clock_, kernel_, activities_}),
      dma_("dma", clock_),
      column_(to_string(FifoId::InpColumn), kernel_.fifos[FifoId::InpColumn], inp_, array_),
      kern_row_(to_string(FifoId::KernRow), kernel_.fifos[FifoId::KernRow], kern_, array_),
      out_row_(to_string(FifoId::OutRow), kernel_.fifos[FifoId::OutRow], array_, out_),
      memory_("memory", clock_, memory_ports()) {
  inp_.tokens(column_);
  kern_.tokens(kern_row_);
  array_.column(column_);
  array_.kern_row(kern_row_);
  array_.out_row(out_row_);
  out_.row(out_row_);
  inp_.memory.bind(memory_.socket(port_id(Port::Inp)));
  kern_.memory.bind(memory_.socket(port_id(Port::Kern)));
  out_.memory.bind(memory_.socket(port_id(Port::Out)));
  dma_.read.bind(memory_.socket(fpgpt::kDmaRead));
  dma_.write.bind(memory_.socket(fpgpt::kDmaWrite));
  clock_.settle = [this](Cycles finished) { return settle(finished); };
}

Cycles VirtualPlatform::settle(Cycles finished) {
  time_.reach(finished);
  if (kernel_.done()) return kNever;
  return time_.settle(
      memory_.memory(), [&](Cycles cycle) { return std::min(kernel_.quiet_until(cycle), dma_.quiet_until(cycle)); },
      [&](Cycles cycles) { account_waits(kernel_, cycles); }, [&] { return describe_deadlock(kernel_, finished); });
}

void VirtualPlatform::set(const Ready& ready) {
  ready_ = ready;
  kernel_.inp.port.ready = ready.inp_address;
  kernel_.kern.port.ready = ready.kern_address;
  kernel_.out.port.address_ready = ready.out_address;
  kernel_.out.port.data_ready = ready.out_data;
}

bool VirtualPlatform::observe(Observer& observer, Cycles finished) {
  time_.reach(finished);
  if (!observer.after(finished, kernel_)) return false;
  const Ready before = ready_;
  set(observer.ready());
  if (ready_ != before || !ready_.all()) {
    // No block foresees what the other side accepts: none sleeps, and no cycle is skipped.
    for (Stepped* process : std::initializer_list<Stepped*>{&inp_, &kern_, &array_, &out_}) process->wake(finished);
    clock_.moved(finished);
  }
  return true;
}

fpgpt::ConvolutionResult VirtualPlatform::run(const fpgpt::Plan& plan, memory::Memory& memory,
                                              const std::array<int, fpgpt::kPorts>& channel_of_port,
                                              std::vector<memory::Store>* channels, Observer* observer,
                                              fpgpt::DmaTransfers* transfers) {
  const fp32::PeArithmetic arithmetic;
  kernel_ = fpgpt::Kernel(std::make_shared<const fpgpt::Plan>(plan));
  if (transfers && (plan.with_data || observer))
    throw std::logic_error("a transfer beside a run that is watched or moves data");
  std::vector<int> port_channels{channel_of_port.begin(), channel_of_port.end()};
  if (transfers) port_channels.resize(fpgpt::kPorts + kDmaPorts.size());  // it moves no contents
  memory_.load(memory, plan.with_data ? channels : nullptr, std::move(port_channels));
  dma_.load(transfers ? &transfers->master : nullptr);
  activities_ = {};
  clock_.progress = on_progress;
  clock_.observe = nullptr;
  if (observer) {
    clock_.observe = [this, observer](Cycles finished) { return observe(*observer, finished); };
    set(observer->ready());
  }
  time_.run(clock_, plan.alpha.clock, {&inp_, &kern_, &array_, &out_, &dma_, &memory_});
  Cycles drain = 0;
  if (kernel_.done()) {  // a run that its observer ended may leave a burst without its last beats
    drain = transfers ? drain_cycles(kernel_, memory, time_.cycles(), *transfers)
                      : drain_cycles(kernel_, memory, time_.cycles());
    memory.finish();
  }
  fpgpt::ConvolutionResult result = collect(kernel_, activities_, time_.cycles(), memory);
  result.drain_cycles = drain;
  result.skipped_cycles = time_.skipped();
  return result;
}

VirtualPlatform& virtual_platform() {
  static const std::unique_ptr<VirtualPlatform> platform = [] {
    prepare_process();
    return std::make_unique<VirtualPlatform>("weft");
  }();
  return *platform;
}

}  // namespace weft::systemc
