#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/barista/alpha.h"
#include "model/core/logic_form.h"

// The reading `resources: synthesis`: what the RTL of a kernel takes on UltraScale+ as yosys maps it, per block.
// Memories follow from their shapes; DSPs, LUTs and registers are linear forms whose coefficients `weft synth
// --calibrate` fits to synthesised kernels (docs/resources.md has the errors).
namespace weft::barista {

// A block of the RTL as it is counted.
enum class RtlBlock : std::uint8_t {
  Registers,  // AXI4-Lite registers and activity counters
  Launch,
  AReader,  // with the walker over the tiles
  AFill,
  ATile,  // the double buffer of A, 4.11's Tr*Tp
  BReader,
  BFill,
  BTile,  // 4.11's Tp*Tc
  Mesh,   // 4.10's elements with their partial sums
  CTile,  // buffer C
  Drain,
  Encode,
  CWriter,
  Fifos,   // those of beats and rows
  Wiring,  // what chooses between the launch and the reader of A
};
inline constexpr std::size_t kRtlBlocks = 15;
inline constexpr std::array<std::string_view, kRtlBlocks> kRtlBlockNames{
    "registers", "launch", "a_reader", "a_fill", "a_tile",   "b_reader", "b_fill", "b_tile",
    "mesh",      "c_tile", "drain",    "encode", "c_writer", "fifos",    "wiring"};

// Registers of the pipelines that S1 leaves time for (BAR-3, BAR-4), and the partial sums that a tile can reach.
struct ElementPipelines {
  int multiplier = 0, adder = 0;
  int partials = 1;
};
ElementPipelines element_pipelines(const Alpha& alpha);

// What the block's DSPs, LUTs and registers are linear in, memories in LUTs apart; the first is always 1. As many and
// in the same order for every alpha.
std::vector<double> features(RtlBlock block, const Alpha& alpha);

// What the block's memories take: exact, no fit. All are read without a register, so they lie in LUTs and none in
// BRAM.
LogicUse memory_use(RtlBlock block, const Alpha& alpha);

// Everything the block takes: memory_use plus the linear forms.
LogicUse synthesised(RtlBlock block, const Alpha& alpha);
LogicUse synthesised(const Alpha& alpha);

// One coefficient per feature.
const LogicForm& coefficients(RtlBlock block);

}  // namespace weft::barista
