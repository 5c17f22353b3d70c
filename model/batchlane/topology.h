#pragma once

#include <array>
#include <cstdint>

#include "model/core/topology.h"
#include "model/memory/memory.h"

namespace weft::batchlane {

// Blocks of a kernel, upstream first (CONTRACT.md, section 3).
enum class Block : std::uint8_t { FeatureReader, CsbReader, Array, Adder, ResultWriter };
inline constexpr std::size_t kBlocks = 5;

enum class FifoId : std::uint8_t { Channel, Strip, Gradients, Bank, Partial, Sum };
inline constexpr std::size_t kFifos = 6;

enum class Port : std::uint8_t { Feature, Csb, Result };
inline constexpr std::size_t kPorts = 3;

// Classes of a MAC's cycles (CONTRACT.md, section 9).
enum class PeClass : std::uint8_t {
  Useful,
  UnusedLanes,
  SplitRest,
  Imbalance,
  StarvedChannel,
  StarvedStrip,
  StarvedGradients,
  BlockedBank,
  Idle
};
inline constexpr std::size_t kPeClasses = 9;

inline constexpr std::array<BlockInfo, kBlocks> kBlockInfos{
    {{"feature_reader", "reads channels of features or gradients, one transfer after the other"},
     {"csb_reader", "reads the kept kernels of each channel"},
     {"array", "accumulates kept kernels, in PEs of one MAC per image"},
     {"adder", "adds up the partial sums of PEs and images in GW"},
     {"result_writer", "writes results, on the feature reader's port"}}};
inline constexpr std::array<FifoInfo, kFifos> kFifoInfos{
    {{"channel", "feature_reader", "array", 2, "a channel of a tile in its buffer: `ahead` of them"},
     {"strip", "csb_reader", "array", 4, "the kept kernels of a channel and a block"},
     {"gradients", "feature_reader", "array", 2, "the output gradients of a block in GW, in a bank"},
     {"bank", "array", "result_writer", 2, "the results of a block and tile, in a bank"},
     {"partial", "array", "adder", 2, "the partial sums of a strip in GW"},
     {"sum", "adder", "result_writer", 2, "the gradients of the kernels of a strip"}}};
inline constexpr std::array<PortInfo, kPorts> kPortInfos{
    {{"feature", "feature_reader", PortDirection::Read, "features, gradients"},
     {"csb", "csb_reader", PortDirection::Read, "kept kernels with their coordinates"},
     {"result", "result_writer", PortDirection::Write, "results: the write half of the feature port"}}};
inline constexpr std::array<PeClassInfo, kPeClasses> kPeClassInfos{
    {{"useful", "that multiply for an image of the batch"},
     {"unused_lanes", "of lanes without an image, where the batch is no multiple of the number of lanes"},
     {"split_rest", "of PEs without a pixel or a channel, where the work does not divide evenly"},
     {"imbalance", "that wait for a channel while every buffer is held by a slower PE"},
     {"starved_channel", "that wait for a channel that memory has not delivered yet"},
     {"starved_strip", "that wait for kernels"},
     {"starved_gradients", "that wait for the output gradients of a block in GW"},
     {"blocked_bank", "that wait for the bank before last to be written, or for the adder"},
     {"idle", "after their last kernel"}}};
// The tables above, for code that is generic over designs.
inline const Topology& topology() {
  static const Topology table = topology_of("pass", kBlockInfos, kFifoInfos, kPortInfos, kPeClassInfos);
  return table;
}

constexpr const char* to_string(Block block) {
  return kBlockInfos[static_cast<std::size_t>(block)].name;
}
constexpr const char* to_string(FifoId fifo) {
  return kFifoInfos[static_cast<std::size_t>(fifo)].name;
}

}  // namespace weft::batchlane
