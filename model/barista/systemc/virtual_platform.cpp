#include "model/barista/systemc/virtual_platform.h"

#include <memory>

#include "kernels/fp32.h"

namespace weft::barista::systemc {

VirtualPlatform::VirtualPlatform(const sc_core::sc_module_name& name)
    : weft::systemc::VirtualPlatform<Kernel>(name, topology()) {
  host<&Kernel::step_a, Block::AReader, Block::AFill>("a");
  host<&Kernel::step_b, Block::BReader, Block::BFill>("b");
  host<&Kernel::step_mesh, Block::Mesh>("mesh");
  host<&Kernel::step_c, Block::Drain, Block::Encode, Block::CWriter>("c");
}

GemmResult VirtualPlatform::run(const Plan& plan, memory::Memory& memory,
                                const std::array<int, kPorts>& channel_of_port, std::vector<memory::Store>* channels,
                                stream::Observer* observer) {
  const fp32::PeArithmetic arithmetic;
  simulate(Kernel(std::make_shared<const Plan>(plan)), plan.alpha.clock, memory,
           {channel_of_port.begin(), channel_of_port.end()}, plan.with_data ? channels : nullptr, observer);
  if (kernel().done()) memory.finish();  // one that its observer ended may leave a burst without its last beats
  GemmResult result = collect(kernel(), activities(), cycles(), memory);
  result.skipped_cycles = skipped();
  return result;
}

VirtualPlatform& virtual_platform() {
  return weft::systemc::only_platform<VirtualPlatform>("barista");
}

}  // namespace weft::barista::systemc
