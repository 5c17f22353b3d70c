#pragma once

#include <string>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/units.h"
#include "platform/card/xrt/handover.h"
#include "platform/config/run_config.h"
#include "platform/design/address_map.h"
#include "platform/design/card_kernel.h"

namespace weft::xrt {

// Text inside an xclbin that identifies its card: the board, and the YAML of its kernel.
struct Bitstream {
  std::string board;
  int banks = 1;
  Bytes bytes_per_bank = 0;
  std::string kernel;  // YAML
};

std::string write_bitstream(const config::RunConfig& run, const design::AddressMap& memory,
                            const config::Kernel& kernel);
// Throws InputError.
Bitstream read_bitstream(const std::string& text);
// Throws Error if the bitstream is for another card than the run's.
void require_fits(const Bitstream& bitstream, const config::RunConfig& run, const design::AddressMap& memory);

// XRT's name of the board with its shell: "xilinx_u250_gen3x16_xdma".
std::string platform_name(const config::Board& board);

// Address of the kernel's registers in XRT.
inline constexpr Address kControlBase = 0x1800000;

// Text in the first kilobyte of every xclbin of write_xclbin(): simulate.sh starts the relay that this variable names.
inline constexpr const char* kXclbinMark = kRelayVariable;

struct Xclbin {
  std::string platform;  // name of its shell: "xilinx_u250_gen3x16_xdma"
  std::string kernel;    // name of the kernel; its one compute unit is NAME_1
  std::vector<design::KernelArgument> arguments;
  std::vector<int> bank_of_port;  // memory bank of each port of the kernel
  Frequency clock_mhz = 100;
  design::AddressMap memory;
  std::string bitstream;  // text that tells the card its kernel (handover.h)
};

// Returns the file: an axlf of XRT's hardware emulation with the sections that XRT 2.13 requires: BITSTREAM,
// EMBEDDED_METADATA, MEM_TOPOLOGY, CONNECTIVITY, IP_LAYOUT. Its bytes and UUID depend only on `what`. Throws Error.
std::string write_xclbin(const Xclbin& what);

}  // namespace weft::xrt
