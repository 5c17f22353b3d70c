#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/topology.h"
#include "platform/hardware/rtl/rtl.h"

// The RTL of one kernel as a folder of its own, to synthesise and package without weft: a module around the top that
// sets its parameters and has the names of pins that AMD's tools expect of an RTL kernel (UG1393, "RTL kernel
// development flow": ap_clk, ap_rst_n, s_axi_control_*, m_axi_*), the sources as they are, their contract, and scripts.
namespace weft::rtl {

inline constexpr const char* kWrapped = "u_kernel";  // instance name of the top in that module
inline constexpr const char* kClockPin = "ap_clk";
inline constexpr const char* kResetPin = "ap_rst_n";
inline constexpr const char* kControlPort = "s_axi_control";
inline constexpr int kControlAddressBits = 10;
// Pin prefix of a port of the design: "m_axi_inp".
std::string memory_port(const std::string& port);

struct Package {
  Kernel kernel;
  // Name of the module, its file, the IP and the kernel, in the xclbin of the card too: that of the design.
  std::string name;
  const Topology* topology = nullptr;
  int band = 0;               // words in a beat of each port
  std::vector<int> channels;  // memory channel of each port
  Frequency clock_mhz = 100;
  std::string run;   // name of the run
  std::string part;  // the device: "xcu250-figd2104-2L-e"; empty: the board has none
  // Texts written as they are: the complete run, and kernel.xml.
  std::string config, kernel_xml;
};

std::string wrapper_text(const Package& package);

// Returns all files by their paths in the folder. Throws Error if a source cannot be read.
std::map<std::string, std::string> package_files(const Package& package, const BuildContext& build_context);

}  // namespace weft::rtl
