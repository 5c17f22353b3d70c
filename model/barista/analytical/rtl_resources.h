#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/barista/alpha.h"
#include "model/core/logic_form.h"

// The reading `resources: synthesis`: resources of a kernel's RTL per block on UltraScale+, as yosys maps it. Memories
// follow from their shapes. DSPs, LUTs and registers are linear forms whose coefficients `weft synth --calibrate` fits
// to synthesised kernels (errors: docs/explanation/resources.md).
namespace weft::barista {

// A block of the RTL, the unit of resource counting.
enum class RtlBlock : std::uint8_t {
  Registers,  // AXI4-Lite registers and activity counters
  Launch,
  AReader,  // including the walker over the tiles
  AFill,
  ATile,  // the double buffer of A: Tr*Tp of 4.11
  BReader,
  BFill,
  BTile,  // Tp*Tc of 4.11
  Mesh,   // the elements of 4.10 with their partial sums
  CTile,  // buffer C
  Drain,
  Encode,
  CWriter,
  Fifos,   // FIFOs of beats and rows
  Wiring,  // multiplexers between the launch and the reader of A
};
inline constexpr std::size_t kRtlBlocks = 15;
inline constexpr std::array<std::string_view, kRtlBlocks> kRtlBlockNames{
    "registers", "launch", "a_reader", "a_fill", "a_tile",   "b_reader", "b_fill", "b_tile",
    "mesh",      "c_tile", "drain",    "encode", "c_writer", "fifos",    "wiring"};

// Pipeline registers of a processing element that fit S1 (BAR-3, BAR-4), and the partial sums that a tile can reach.
struct ElementPipelines {
  int multiplier = 0, adder = 0;
  int partials = 1;
};
ElementPipelines element_pipelines(const Alpha& alpha);

// Inputs of the block's linear forms for DSPs, LUTs and registers, without LUT memories. The first is always 1; count
// and order are the same for every alpha.
std::vector<double> features(RtlBlock block, const Alpha& alpha);

// Resources of the block's memories: exact, not fitted. All are read without a register, so they map to LUTs, none to
// BRAM.
LogicUse memory_use(RtlBlock block, const Alpha& alpha);

// All resources of the block: memory_use plus the linear forms.
LogicUse synthesised(RtlBlock block, const Alpha& alpha);
LogicUse synthesised(const Alpha& alpha);

// Coefficients of the block's linear forms, one per feature.
const LogicForm& coefficients(RtlBlock block);

}  // namespace weft::barista
