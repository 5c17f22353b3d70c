#pragma once

#include <cstdint>

#include "model/batchlane/plan.h"
#include "model/core/units.h"

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

// What the slides leave open of a closed form, each with what it may be read as; the first is the default.
struct Readings {
  // The kernels of a strip are shared by the PEs evenly, or all wait for the one that has most.
  enum class Balance : std::uint8_t { Mean, Slowest } balance = Balance::Mean;
  // Writes take time of the port that features come by, or none: the ping-pong banks hide them.
  enum class Writes : std::uint8_t { Serial, Hidden } writes = Writes::Serial;
  // Writes of the last bank after the last product count, or do not.
  enum class Tail : std::uint8_t { Exposed, Hidden } tail = Tail::Exposed;
};

// Cycles from a transfer's request to its first beat, and from its last beat to its response.
struct Latencies {
  Cycles read = 32, write = 32;
};

struct EquationTerms {
  Cycles compute = 0;          // of the PEs
  Cycles reads = 0;            // of the port, channels and gradients
  Cycles writes = 0;           // of the port
  Cycles csb = 0;              // of the port of kernels
  Cycles fill = 0;             // before the first kernel
  Cycles tail = 0;             // behind the last
  Cycles cycles = 0;           // max(fill + compute + tail, reads + writes, csb)
  std::int64_t transfers = 0;  // on the port of features and results
  bool memory_bound = false;
};
EquationTerms equations(const Plan& plan, const Readings& readings, const Latencies& latencies);

// Blocks of 36 Kb of BRAM for the buffers of a pass, and of what.
struct BramUse {
  std::int64_t accumulators = 0, channels = 0, kernels = 0;
  std::int64_t uram = 0;  // blocks of 288 Kb, 4096 deep and 72 wide, where accumulators are there
  std::int64_t all() const { return accumulators + channels + kernels; }
};
BramUse bram36_of(const Plan& plan);

}  // namespace weft::batchlane
