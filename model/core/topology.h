#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "model/core/activity.h"

namespace weft {

// What a design is made of, stated once: from this table follow the names in reports, columns, keys and messages, what
// co-simulation compares, and the parameters of the RTL. Names are those of CONTRACT.md; each list is in the order in
// which the design numbers its things.

struct BlockInfo {
  const char* name;     // "inp_reader"
  const char* meaning;  // what it does, in a few words
};

struct FifoInfo {
  const char* name;      // "inp_beat": its key below kernel.fifo, the stem of the RTL's parameter and of its instance
  const char* producer;  // blocks
  const char* consumer;
  int depth;            // tokens, unless the kernel's file says otherwise
  const char* meaning;  // what a token is, in a sentence
};

enum class PortDirection { Read, Write };

struct PortInfo {
  const char* name;   // "inp"
  const char* block;  // whose port it is
  PortDirection direction;
  const char* meaning;
};

// What a processing element does in a cycle.
struct PeClassInfo {
  const char* name;     // "starved_inp_column": the class by a FIFO ends with the FIFO's name
  const char* meaning;  // of its PE-cycles, in a sentence
};

struct Topology {
  std::vector<BlockInfo> blocks;  // most upstream first: the order in which ties for the limiter are broken
  std::vector<FifoInfo> fifos;
  std::vector<PortInfo> ports;               // as the memory numbers them
  std::vector<PeClassInfo> pe_classes = {};  // one of them for every PE in every cycle; none if the design has no PEs
  const char* unit = "launch";               // what a kernel computes in a launch: "convolution"
};

// Depths of the FIFOs between blocks, in tokens; those of the table `kInfos` unless the kernel says otherwise. Nothing
// passes a FIFO of depth 0: the run reports the deadlock.
template <class FifoId, const auto& kInfos>
class FifoDepths {
 public:
  using All = std::array<int, std::tuple_size_v<std::decay_t<decltype(kInfos)>>>;

  constexpr FifoDepths() {
    for (std::size_t i = 0; i < depths_.size(); ++i) depths_[i] = kInfos[i].depth;
  }
  constexpr int& operator[](FifoId fifo) { return depths_[static_cast<std::size_t>(fifo)]; }
  constexpr int operator[](FifoId fifo) const { return depths_[static_cast<std::size_t>(fifo)]; }
  void fill(int depth) { depths_.fill(depth); }
  // In the order of the topology.
  All& all() { return depths_; }
  const All& all() const { return depths_; }
  friend bool operator==(const FifoDepths& a, const FifoDepths& b) { return a.depths_ == b.depths_; }

 private:
  All depths_{};
};

// The position of the one of this name, or the size of the list.
template <class Infos>
std::size_t find_index(const Infos& infos, std::string_view name) {
  std::size_t i = 0;
  while (i < infos.size() && infos[i].name != name) ++i;
  return i;
}

// The blocks that fill, or empty, the FIFOs of a block, in the order of the FIFOs.
inline std::vector<std::size_t> producers(const Topology& topology, std::size_t block) {
  std::vector<std::size_t> found;
  for (const FifoInfo& fifo : topology.fifos) {
    if (std::string_view(fifo.consumer) == topology.blocks[block].name) {
      found.push_back(find_index(topology.blocks, fifo.producer));
    }
  }
  return found;
}
inline std::vector<std::size_t> consumers(const Topology& topology, std::size_t block) {
  std::vector<std::size_t> found;
  for (const FifoInfo& fifo : topology.fifos) {
    if (std::string_view(fifo.producer) == topology.blocks[block].name) {
      found.push_back(find_index(topology.blocks, fifo.consumer));
    }
  }
  return found;
}

// The first FIFO that a block fills, or the number of FIFOs.
std::size_t find_output(const Topology& topology, std::string_view block);

// What a block waits for when it has nothing to do, for a message: "inp_column or kern_row", "read data of port inp".
std::string inputs_text(const Topology& topology, std::string_view block);
// The port that it writes to: "port out".
std::string output_port_text(const Topology& topology, std::string_view block);
// One sentence for the report of a launch that is stuck in cycle `now`: which block waits for what.
// `last`: what each block did in that cycle; `depth`: of each FIFO.
std::string deadlock_text(const Topology& topology, Cycles now, const std::vector<Activity>& last,
                          const std::function<int(std::size_t)>& depth);
template <class Kernel>
std::string deadlock_text(const Topology& topology, Cycles now, const Kernel& kernel) {
  const auto last = kernel.last();
  return deadlock_text(topology, now, {last.begin(), last.end()},
                       [&](std::size_t fifo) { return kernel.fifos[fifo].depth(); });
}

// The tables of a design as what is generic over designs takes them.
template <class Blocks, class Fifos, class Ports, class PeClasses>
Topology topology_of(const char* unit, const Blocks& blocks, const Fifos& fifos, const Ports& ports,
                     const PeClasses& pe_classes) {
  return {{blocks.begin(), blocks.end()},
          {fifos.begin(), fifos.end()},
          {ports.begin(), ports.end()},
          {pe_classes.begin(), pe_classes.end()},
          unit};
}

}  // namespace weft
