#pragma once

#include <cstdint>

#include "model/batchlane/alpha.h"

namespace weft::batchlane {

struct FabricUse {
  std::int64_t lut = 0, ff = 0;  // FPGA elements
};

// What one of each part of a kernel takes: assumptions, from the bits that it moves. Nothing is synthesised, and
// nothing fitted to what was published.
struct Fabric {
  FabricUse mac{8, 8};            // chooses an operand of 8 bits, weight or gradient; the product is the DSP's
  FabricUse accumulator{32, 64};  // a word of 32 bits of the bank that is in use, or zero; a register before and behind
  FabricUse adder_bit{1, 1};      // of the trees: a bit of a sum, and its register
  FabricUse pe{256, 256};         // its counters and addresses: some 8 of 16 bits, compared and counted
  FabricUse port{512, 1024};      // a beat of 512 bits, twice, for back pressure
  FabricUse once{66000, 82000};   // two controllers of DDR4 and a DMA engine for PCIe
};

// Of a whole kernel. Trees: in GW the lanes of each group of PEs that split pixels; dense, beside, the PEs of each
// lane.
FabricUse fabric_of(const Alpha& alpha, const Fabric& fabric);

}  // namespace weft::batchlane
