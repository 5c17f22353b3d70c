#pragma once

#include <functional>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "platform/design/card_kernel.h"

namespace weft::xrt {

// The arguments of a kernel as XRT's and Vitis' XML have them: an `arg` each below `kernel`. `memory_port`: the name of
// the kernel's port of that number.
void append_arguments(pugi::xml_node kernel, const std::vector<design::KernelArgument>& arguments,
                      const std::function<std::string(int)>& memory_port, const std::string& control_port);

// An interface of a kernel: a `port` below `kernel`.
void append_port(pugi::xml_node kernel, const std::string& name, bool master, const std::string& range, int data_bits);

// A kernel that is packaged from RTL.
struct RtlKernel {
  std::string name;                       // of its module
  std::vector<std::string> memory_ports;  // AXI4 masters, in the order of the design's ports
  int data_bits = 0;                      // of each
  std::string control_port;               // AXI4-Lite slave
  Address control_bytes = 0;              // its addresses
  std::vector<design::KernelArgument> arguments;
};
// kernel.xml, as Vitis' `package_xo -kernel_xml` reads it (UG1393, "RTL kernel XML file").
std::string kernel_xml(const RtlKernel& kernel);

}  // namespace weft::xrt
