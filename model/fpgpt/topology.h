#pragma once

#include <cstdint>

#include "model/conv/convolution.h"
#include "model/core/topology.h"
#include "model/memory/memory.h"

namespace weft::fpgpt {

// The blocks of a kernel, most upstream first: the order in which ties for the limiter are broken. The equations have
// one component for each of them, so that every rung calls them the same.
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

// The FIFOs between them (CONTRACT.md, "FIFOs").
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

// The ports, in this order wherever they are numbered.
enum class Port : std::uint8_t { Inp, Kern, Out };
inline constexpr std::size_t kPorts = 3;
inline constexpr memory::PortId port_id(Port port) {
  return static_cast<memory::PortId>(port);
}

// Names and wiring of all of them, in the order of the enumerations.
const Topology& topology();

const char* to_string(Block block);  // "inp_reader", ...
const char* to_string(FifoId fifo);  // "inp_beat", ...
const char* to_string(Port port);    // "inp", ...

// Feeder and array of F and GI are one bottleneck, for A.21 adds the fill of KERN to the cycles of the array (F13).
constexpr bool compute_bound(Block limiter) {
  return limiter == Block::KernFeeder || limiter == Block::Array;
}

// What limits a convolution, as results name it: the block, or "compute" for the one bottleneck of F and GI.
const char* limiter_name(conv::Kind kind, Block limiter);

}  // namespace weft::fpgpt
