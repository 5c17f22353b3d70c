#include "model/fpgpt/systemc/virtual_platform.h"

#include <memory>
#include <stdexcept>

namespace weft::fpgpt::systemc {

VirtualPlatform::VirtualPlatform(const sc_core::sc_module_name& name)
    : weft::systemc::VirtualPlatform<Kernel>(name, topology()) {
  host<&Kernel::step_inp, Block::InpReader, Block::InpDecode, Block::InpConstruct, Block::InpIm2col>("inp");
  host<&Kernel::step_kern, Block::KernReader, Block::KernDecode, Block::KernFeeder>("kern");
  host<&Kernel::step_array, Block::Array>("array");
  host<&Kernel::step_out, Block::OutConstructor, Block::OutEncode, Block::OutWriter>("out");
}

ConvolutionResult VirtualPlatform::run(const Plan& plan, memory::Memory& memory,
                                       const Kernel::ChannelOfPort& channel_of_port,
                                       std::vector<memory::Store>* channels, stream::Observer* observer,
                                       DmaTransfers* transfers) {
  if (transfers && (plan.with_data || observer))
    throw std::logic_error("a concurrent transfer in a run that is observed or moves data");
  simulate(Kernel(std::make_shared<const Plan>(plan)), plan.alpha.clock, memory,
           {channel_of_port.begin(), channel_of_port.end()}, plan.with_data ? channels : nullptr, observer,
           transfers ? &transfers->master : nullptr);
  Cycles drain = 0;
  if (kernel().done()) {  // a run that its observer ended may leave an incomplete burst
    drain = transfers ? drain_cycles(kernel(), memory, cycles(), *transfers) : drain_cycles(kernel(), memory, cycles());
    memory.finish();
  }
  ConvolutionResult result = this->result(memory);
  result.drain_cycles = drain;
  return result;
}

VirtualPlatform& virtual_platform() {
  return weft::systemc::only_platform<VirtualPlatform>("weft");
}

}  // namespace weft::fpgpt::systemc
