#include "model/batchlane/systemc/virtual_platform.h"

#include <memory>

namespace weft::batchlane::systemc {

VirtualPlatform::VirtualPlatform(const sc_core::sc_module_name& name)
    : weft::systemc::VirtualPlatform<Kernel>(name, topology(), false) {
  host<&Kernel::step_features, Block::FeatureReader, Block::ResultWriter>("features");
  host<&Kernel::step_csb, Block::CsbReader>("csb");
  host<&Kernel::step_array, Block::Array, Block::Adder>("array");
}

PassResult VirtualPlatform::run(const Plan& plan, memory::Memory& memory,
                                const std::array<int, kPorts>& channel_of_port, std::vector<memory::Store>* channels,
                                stream::Observer* observer) {
  simulate(Kernel(std::make_shared<const Plan>(plan)), plan.alpha.clock, memory,
           {channel_of_port.begin(), channel_of_port.end()}, plan.with_data ? channels : nullptr, observer);
  if (kernel().done()) memory.finish();  // one that its observer ended may leave a burst without its last beats
  PassResult result = collect(kernel(), activities(), cycles(), memory);
  result.skipped_cycles = skipped();
  return result;
}

VirtualPlatform& virtual_platform() {
  return weft::systemc::only_platform<VirtualPlatform>("batchlane");
}

}  // namespace weft::batchlane::systemc
