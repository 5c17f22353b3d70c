#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/core/topology.h"

namespace weft::copy {

// Blocks, FIFOs and ports of a kernel (CONTRACT.md, section 3); the enumerators have the order of the tables.
enum class Block : std::uint8_t { Reader, Writer };
inline constexpr std::size_t kBlocks = 2;
enum class FifoId : std::uint8_t { Beat };
inline constexpr std::size_t kFifos = 1;
enum class Port : std::uint8_t { In, Out };
inline constexpr std::size_t kPorts = 2;
inline constexpr std::size_t kPeClasses = 0;  // classes of the cycles of processing elements: the kernel has none

inline constexpr std::array<BlockInfo, kBlocks> kBlockInfos{
    {{"reader", "requests the beats of the tensor"}, {"writer", "writes them in bursts"}}};
inline constexpr std::array<FifoInfo, kFifos> kFifoInfos{{{"beat", "reader", "writer", 4, "one beat"}}};
inline constexpr std::array<PortInfo, kPorts> kPortInfos{
    {{"in", "reader", PortDirection::Read, "the tensor"},
     {"out", "writer", PortDirection::Write, "the tensor, again"}}};
inline constexpr std::array<PeClassInfo, kPeClasses> kPeClassInfos{};

// The tables above, for code that is generic over designs.
inline const Topology& topology() {
  static const Topology table = topology_of("launch", kBlockInfos, kFifoInfos, kPortInfos, kPeClassInfos);
  return table;
}

}  // namespace weft::copy
