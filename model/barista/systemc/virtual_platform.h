#pragma once

#include <array>
#include <vector>

#include "model/barista/kernel.h"
#include "model/systemc/virtual_platform.h"

namespace weft::barista::systemc {

// A reader and the fill behind it, of A and of B; the mesh with its final adds; drain, encode and writer.
class VirtualPlatform : public weft::systemc::VirtualPlatform<Kernel> {
 public:
  explicit VirtualPlatform(const sc_core::sc_module_name& name);

  // Runs one GEMM from cycle 0. `channels` holds the tensors in data mode (plan.with_data) and is ignored otherwise.
  // `observer`, if there is one, may end the GEMM early; the result is then that of the cycles so far. Throws Deadlock
  // if nothing can ever move again.
  GemmResult run(const Plan& plan, memory::Memory& memory, const std::array<int, kPorts>& channel_of_port,
                 std::vector<memory::Store>* channels, stream::Observer* observer = nullptr);
};

// The process's one platform.
VirtualPlatform& virtual_platform();

}  // namespace weft::barista::systemc
