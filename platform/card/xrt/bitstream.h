#pragma once

#include <string>

#include "platform/config/run_config.h"
#include "platform/design/address_map.h"

namespace weft::xrt {

// The text inside an xclbin that tells a card what it is: the board that it is for and the YAML of its kernel.
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
// Throws Error if it is for another card than the run's.
void require_fits(const Bitstream& bitstream, const config::RunConfig& run, const design::AddressMap& memory);

// How XRT names the board with its shell: "xilinx_u250_gen3x16_xdma".
std::string platform_name(const config::Board& board);

}  // namespace weft::xrt
