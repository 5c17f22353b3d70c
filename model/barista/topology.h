#pragma once

#include <array>
#include <cstdint>

#include "model/core/topology.h"
#include "model/memory/memory.h"

namespace weft::barista {

// Blocks of a kernel, upstream first. The limiter is the first block in this order on a tie (CONTRACT.md, "Blocks and
// FIFOs").
enum class Block : std::uint8_t { AReader, AFill, BReader, BFill, Mesh, Drain, Encode, CWriter };
inline constexpr std::size_t kBlocks = 8;

enum class FifoId : std::uint8_t { ABeat, BBeat, ATile, BTile, CTile, CRow, CBeat };
inline constexpr std::size_t kFifos = 7;

// Ports, in numbering order.
enum class Port : std::uint8_t { A, B, C };
inline constexpr std::size_t kPorts = 3;

// Classes of a processing element's cycles (CONTRACT.md, "Where the PE-cycles go").
enum class PeClass : std::uint8_t {
  Useful,
  Zeros,
  PaddedRows,
  PaddedColumns,
  PaddedProducts,
  FillDrain,
  FinalAdd,
  StarvedATile,
  StarvedBTile,
  BlockedCTile,
  Idle
};
inline constexpr std::size_t kPeClasses = 11;

inline constexpr std::array<BlockInfo, kBlocks> kBlockInfos{
    {{"a_reader", "requests the beats of the tiles of A"},
     {"a_fill", "writes the beats into the double buffer of A"},
     {"b_reader", "requests the beats of the tiles of B"},
     {"b_fill", "writes the beats into the double buffer of B"},
     {"mesh", "multiplies and accumulates in Tr by Tc PEs and adds up the partial sums"},
     {"drain", "passes on a tile of C row by row"},
     {"encode", "regroups rows into beats"},
     {"c_writer", "writes the beats in bursts"}}};
inline constexpr std::array<FifoInfo, kFifos> kFifoInfos{
    {{"a_beat", "a_reader", "a_fill", 32, "one beat"},
     {"b_beat", "b_reader", "b_fill", 32, "one beat"},
     {"a_tile", "a_fill", "mesh", 2, "a tile of A, in the double buffer"},
     {"b_tile", "b_fill", "mesh", 2, "a tile of B, in the double buffer"},
     {"c_tile", "mesh", "drain", 1, "a tile of C, in buffer C"},
     {"c_row", "drain", "encode", 4, "Tc words"},
     {"c_beat", "encode", "c_writer", 32, "one beat with strobes"}}};
inline constexpr std::array<PortInfo, kPorts> kPortInfos{{{"a", "a_reader", PortDirection::Read, "the tiles of A"},
                                                          {"b", "b_reader", PortDirection::Read, "the tiles of B"},
                                                          {"c", "c_writer", PortDirection::Write, "the tiles of C"}}};
inline constexpr std::array<PeClassInfo, kPeClasses> kPeClassInfos{
    {{"useful", "that multiply two words of the convolution"},
     {"zeros", "that multiply a zero that im2col wrote for padding or dilation"},
     {"padded_rows", "of rows beyond R"},
     {"padded_columns", "of columns beyond C, in the first R rows"},
     {"padded_products", "of products beyond P, for outputs within R by C"},
     {"fill_drain", "before a tile reaches the PE and after it leaves the PE"},
     {"final_add", "while the partial sums are added up"},
     {"starved_a_tile", "while the mesh waits for a tile of A, whether or not a tile of B is there"},
     {"starved_b_tile", "while the mesh waits for a tile of B only"},
     {"blocked_c_tile", "while the mesh waits for buffer C"},
     {"idle", "after the last final add"}}};
// The tables above, for code that is generic over designs.
inline const Topology& topology() {
  static const Topology table = topology_of("GEMM", kBlockInfos, kFifoInfos, kPortInfos, kPeClassInfos);
  return table;
}

constexpr const char* to_string(Block block) {
  return kBlockInfos[static_cast<std::size_t>(block)].name;
}
constexpr const char* to_string(FifoId fifo) {
  return kFifoInfos[static_cast<std::size_t>(fifo)].name;
}

}  // namespace weft::barista
