#pragma once

#include <cstdint>

#include "model/batchlane/plan.h"
#include "model/core/units.h"

namespace weft::batchlane {

struct FabricUse {
  std::int64_t lut = 0, ff = 0;  // FPGA elements
};

// Resources of one instance of each part of a kernel: assumptions derived from the bits that the part moves. Nothing is
// synthesised, and nothing is fitted to published values.
struct Fabric {
  FabricUse mac{8, 8};            // selects an 8-bit operand, weight or gradient; the multiplier is the DSP
  FabricUse accumulator{32, 64};  // a 32-bit word of the active bank, or zero; one register before and one after
  FabricUse adder_bit{1, 1};      // adder trees: one bit of a sum, and its register
  FabricUse pe{256, 256};         // counters and addresses: about 8 of 16 bits, with compare and increment
  FabricUse port{512, 1024};      // a beat of 512 bits, held twice for backpressure
  FabricUse once{66000, 82000};   // two DDR4 controllers and a DMA engine for PCIe
};

// Resources of a whole kernel. Adder trees: in GW over the lanes of each group of PEs that split pixels; dense kernels
// also have one over the PEs of each lane.
FabricUse fabric_of(const Alpha& alpha, const Fabric& fabric);

// Closed-form details that the slides leave open, with the possible readings; the first is the default.
struct Readings {
  // Load of a strip: its kernels are spread evenly over the PEs, or all PEs wait for the most loaded one.
  enum class Balance : std::uint8_t { Mean, Slowest } balance = Balance::Mean;
  // Writes occupy the port that features use, or take no time because the ping-pong banks hide them.
  enum class Writes : std::uint8_t { Serial, Hidden } writes = Writes::Serial;
  // Writes of the last bank after the last product count, or do not count.
  enum class Tail : std::uint8_t { Exposed, Hidden } tail = Tail::Exposed;
  // GW: the port moves data while the PEs compute, or computing and all transfers follow each other.
  enum class GwOverlap : std::uint8_t { Full, None } gw_overlap = GwOverlap::Full;
  // GW: dY is read as 8-bit samples, or as the 32-bit words that GI has written.
  enum class GwGradients : std::uint8_t { Bytes, Words } gw_gradients = GwGradients::Bytes;
  // GW: the gradients of a batch are written, or first added to those in memory.
  enum class GwSums : std::uint8_t { Written, Accumulated } gw_sums = GwSums::Written;
};

// Cycles from the request of a transfer to its first beat, and from its last beat to its response.
struct Latencies {
  Cycles read = 32, write = 32;
};

struct EquationTerms {
  Cycles compute = 0;          // of the PEs
  Cycles reads = 0;            // of the port, for channels, gradients and accumulated sums
  Cycles writes = 0;           // of the port
  Cycles csb = 0;              // of the port of kernels
  Cycles fill = 0;             // before the first kernel
  Cycles tail = 0;             // after the last kernel
  Cycles cycles = 0;           // max(fill + compute + tail, reads + writes, csb); gw_overlap none: their sum
  std::int64_t transfers = 0;  // on the port of features and results
  bool memory_bound = false;
};
EquationTerms equations(const Plan& plan, const Readings& readings, const Latencies& latencies);

// 36 Kb BRAM blocks for the buffers of a pass, by buffer.
struct BramUse {
  std::int64_t accumulators = 0, channels = 0, kernels = 0;
  std::int64_t uram = 0;  // blocks of 288 Kb, 4096 words of 72 bits, if the accumulators are in URAM
  std::int64_t all() const { return accumulators + channels + kernels; }
};
BramUse bram36_of(const Plan& plan);

}  // namespace weft::batchlane
