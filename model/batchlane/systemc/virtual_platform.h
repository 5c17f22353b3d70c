#pragma once

#include <array>
#include <vector>

#include "model/batchlane/kernel.h"
#include "model/systemc/virtual_platform.h"

namespace weft::batchlane::systemc {

// The feature reader and the result writer, which share a port; the CSB reader; the PEs and the adder. They share
// buffers too, so none sleeps.
class VirtualPlatform : public weft::systemc::VirtualPlatform<Kernel> {
 public:
  explicit VirtualPlatform(const sc_core::sc_module_name& name);

  // Runs one pass from cycle 0. `channels` holds the tensors in data mode and is ignored otherwise. `observer`, if
  // there is one, may end the pass early. Throws Deadlock if nothing can ever move again.
  PassResult run(const Plan& plan, memory::Memory& memory, const std::array<int, kPorts>& channel_of_port,
                 std::vector<memory::Store>* channels, stream::Observer* observer = nullptr);
};

// The process's one platform.
VirtualPlatform& virtual_platform();

}  // namespace weft::batchlane::systemc
