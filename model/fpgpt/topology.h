#pragma once

#include <cstdint>

#include "model/core/topology.h"
#include "model/memory/memory.h"

namespace weft::fpgpt {

// The blocks of a kernel, most upstream first: the order in which ties for the limiter are broken.
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

}  // namespace weft::fpgpt
