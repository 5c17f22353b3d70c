#pragma once

#include <array>
#include <cstdint>

#include "model/conv/convolution.h"
#include "model/core/topology.h"
#include "model/memory/memory.h"

namespace weft::fpgpt {

// Blocks of a kernel, most upstream first: the order in which ties for the limiter are broken. The equations have one
// component per block, so that every rung uses the same names.
enum class Block : std::uint8_t {
  InpReader,
  InpDecode,
  InpConstruct,
  InpIm2col,
  KernReader,
  KernDecode,
  KernFeeder,
  Array,
  OutConstructor,
  OutEncode,
  OutWriter
};
inline constexpr std::size_t kBlocks = 11;
inline constexpr std::array kBlocksOfOut{Block::OutConstructor, Block::OutEncode, Block::OutWriter};

// FIFOs between the blocks (CONTRACT.md, "FIFOs").
enum class FifoId : std::uint8_t {
  InpBeat,
  InpWord,
  InpGroup,
  InpColumn,
  KernBeat,
  KernWord,
  KernRow,
  OutRow,
  OutGroup,
  OutBeat
};
inline constexpr std::size_t kFifos = 10;

// Ports, in this order wherever they are numbered.
enum class Port : std::uint8_t { Inp, Kern, Out };
inline constexpr std::size_t kPorts = 3;

// Classes of a PE's cycles; each cycle of a PE is in exactly one class (CONTRACT.md, "Where the PE-cycles go").
enum class PeClass : std::uint8_t {
  Useful,
  Zeros,
  UnusedColumns,
  UnusedRows,
  Gaps,
  FillDrain,
  StarvedInpColumn,
  StarvedKernRow,
  BlockedOutRow,
  Idle
};
inline constexpr std::size_t kPeClasses = 10;

// Names and wiring, in the order of the enumerations. A FIFO's name is its key below kernel.fifo, the stem of its
// parameter in the RTL (InpBeatDepth) and of its instance (u_inp_beat).
inline constexpr std::array<BlockInfo, kBlocks> kBlockInfos{
    {{"inp_reader", "requests the beats of the INP windows"},
     {"inp_decode", "trims the beats to the words of a window"},
     {"inp_construct", "regroups words into groups of Z"},
     {"inp_im2col", "builds columns of X words from the line buffer"},
     {"kern_reader", "requests the beats of the KERN ranges"},
     {"kern_decode", "trims and regroups the beats into the words that the feeder stores at a time"},
     {"kern_feeder", "builds rows of Y words"},
     {"array", "multiplies and accumulates in X by Y PEs"},
     {"out_constructor", "collects rows of results into maps (F, GI) or adds them up (GW)"},
     {"out_encode", "regroups words into beats"},
     {"out_writer", "writes the beats in bursts"}}};
inline constexpr std::array<FifoInfo, kFifos> kFifoInfos{
    {{"inp_beat", "inp_reader", "inp_decode", 32, "one beat"},
     {"inp_word", "inp_decode", "inp_construct", 4, "up to BAND words"},
     {"inp_group", "inp_construct", "inp_im2col", 4, "up to Z words"},
     {"inp_column", "inp_im2col", "array", 8, "X words"},
     {"kern_beat", "kern_reader", "kern_decode", 32, "one beat"},
     {"kern_word", "kern_decode", "kern_feeder", 4, "one word (F/GI), BAND words (F/GI wide) or up to Y words (GW)"},
     {"kern_row", "kern_feeder", "array", 8, "Y words"},
     {"out_row", "array", "out_constructor", 8, "X words"},
     {"out_group", "out_constructor", "out_encode", 4, "up to X words"},
     {"out_beat", "out_encode", "out_writer", 32, "one beat with strobes"}}};
inline constexpr std::array<PortInfo, kPorts> kPortInfos{
    {{"inp", "inp_reader", PortDirection::Read, "the tensor that im2col turns into columns"},
     {"kern", "kern_reader", PortDirection::Read, "the tensor that the feeder turns into rows"},
     {"out", "out_writer", PortDirection::Write, "the result"}}};
inline constexpr std::array<PeClassInfo, kPeClasses> kPeClassInfos{
    {{"useful", "that multiply two stored words"},
     {"zeros", "that multiply a zero of padding or dilation"},
     {"unused_columns", "of columns without an output, in rows with or without a kernel"},
     {"unused_rows", "of rows without a kernel, in columns with an output"},
     {"gaps", "between the last product of a set and the first of the next"},
     {"fill_drain", "before a round reaches the row and after it leaves the row"},
     {"starved_inp_column", "while the array waits for inp_column, whether or not kern_row has a token"},
     {"starved_kern_row", "while the array waits for kern_row only"},
     {"blocked_out_row", "while the array waits for room in out_row"},
     {"idle", "after the last round of the array"}}};
// The same tables for code that is generic over designs.
inline const Topology& topology() {
  static const Topology table = topology_of("convolution", kBlockInfos, kFifoInfos, kPortInfos, kPeClassInfos);
  return table;
}

constexpr const char* to_string(Block block) {
  return kBlockInfos[static_cast<std::size_t>(block)].name;
}
constexpr const char* to_string(FifoId fifo) {
  return kFifoInfos[static_cast<std::size_t>(fifo)].name;
}
constexpr const char* to_string(Port port) {
  return kPortInfos[static_cast<std::size_t>(port)].name;
}

// Feeder and array of F and GI are one bottleneck, because A.21 adds the fill of KERN to the array's cycles (F13).
constexpr bool compute_bound(Block limiter) {
  return limiter == Block::KernFeeder || limiter == Block::Array;
}

// Returns the limiter's name in results: the block, or "compute" for the common bottleneck of F and GI.
constexpr const char* limiter_name(conv::Kind kind, Block limiter) {
  return kind != conv::Kind::GW && compute_bound(limiter) ? "compute" : to_string(limiter);
}

}  // namespace weft::fpgpt
