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

// Structure of a design: the only source of the names in reports, columns, keys and messages, of what co-simulation
// compares, and of the RTL parameters. Names are those of CONTRACT.md; each list is in the design's numbering order.

struct BlockInfo {
  const char* name;     // "inp_reader"
  const char* meaning;  // function of the block, in a few words
};

struct FifoInfo {
  const char* name;      // "inp_beat": key below kernel.fifo, stem of the RTL parameter and instance name
  const char* producer;  // block
  const char* consumer;
  int depth;            // tokens; default if the kernel file gives none
  const char* meaning;  // contents of a token, in a phrase
};

enum class PortDirection { Read, Write };

struct PortInfo {
  const char* name;   // "inp"
  const char* block;  // block that owns the port
  PortDirection direction;
  const char* meaning;
};

// Class of a processing element's cycles.
struct PeClassInfo {
  const char* name;     // "starved_inp_column": a class caused by a FIFO ends with the FIFO's name
  const char* meaning;  // description of its PE-cycles, in a phrase
};

struct Topology {
  std::vector<BlockInfo> blocks;  // upstream first; the limiter is the first block on a tie
  std::vector<FifoInfo> fifos;
  std::vector<PortInfo> ports;               // in the memory's numbering order
  std::vector<PeClassInfo> pe_classes = {};  // every PE has exactly one class per cycle; empty if the design has no PEs
  const char* unit = "launch";               // unit of work of one launch: "convolution"
};

// Depths of the FIFOs between blocks, in tokens; by default those of the table `kInfos`. A FIFO of depth 0 passes
// nothing: the run reports a deadlock.
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
  // All depths in topology order.
  All& all() { return depths_; }
  const All& all() const { return depths_; }
  friend bool operator==(const FifoDepths& a, const FifoDepths& b) { return a.depths_ == b.depths_; }

 private:
  All depths_{};
};

// Returns the position of the entry named `name`, or the size of the list.
template <class Infos>
std::size_t find_index(const Infos& infos, std::string_view name) {
  std::size_t i = 0;
  while (i < infos.size() && infos[i].name != name) ++i;
  return i;
}

// Returns the first FIFO that a block fills, or the number of FIFOs.
std::size_t find_output(const Topology& topology, std::string_view block);

// Returns the inputs that an idle block waits for, for a message: "inp_column or kern_row", "read data of port inp".
std::string inputs_text(const Topology& topology, std::string_view block);
// Returns the port that the block writes to: "port out".
std::string output_port_text(const Topology& topology, std::string_view block);
// Returns one sentence for the report of a launch that is stuck in cycle `now`: which block waits for what. `last`:
// activity of each block in that cycle; `depth`: depth of each FIFO.
std::string deadlock_text(const Topology& topology, Cycles now, const std::vector<Activity>& last,
                          const std::function<int(std::size_t)>& depth);
template <class Kernel>
std::string deadlock_text(const Topology& topology, Cycles now, const Kernel& kernel) {
  const auto last = kernel.last();
  return deadlock_text(topology, now, {last.begin(), last.end()},
                       [&](std::size_t fifo) { return kernel.fifos[fifo].depth(); });
}

// Converts the tables of a design for code that is generic over designs.
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
