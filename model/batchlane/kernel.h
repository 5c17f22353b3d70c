#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "model/batchlane/array.h"
#include "model/batchlane/buffers.h"
#include "model/batchlane/plan.h"
#include "model/batchlane/readers.h"
#include "model/batchlane/result_writer.h"
#include "model/batchlane/topology.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"
#include "model/stream/stepping.h"

namespace weft::batchlane {

using BlockActivities = std::array<Activities, kBlocks>;

using Fifos = weft::Fifos<FifoId, kFifos>;

// The feature reader and the result writer on their common port: one transfer of either at a time (FP-1).
struct FeatureSubsystem {
  FeatureReader reader;
  ResultWriter writer;
  stream::ReadPort read_port;
  stream::WritePort write_port;
  bool wrote_last = false;
  Activity reader_last = Activity::Idle, writer_last = Activity::Idle;

  void step(Cycles now, const Plan& plan, Fifos& fifos, Buffers& buffers);
};

// The complete state of a kernel during one pass.
struct Kernel {
  using BlockId = Block;
  using ChannelOfPort = std::array<int, kPorts>;
  std::shared_ptr<const Plan> plan;
  FeatureSubsystem features;
  CsbReader csb;
  stream::ReadPort csb_port;
  Array array;
  Adder adder;
  Fifos fifos;
  Buffers buffers;
  Activity csb_last = Activity::Idle, array_last = Activity::Idle, adder_last = Activity::Idle;
  Cycles last_cycle = -1;  // last stepped cycle

  Kernel() = default;
  explicit Kernel(std::shared_ptr<const Plan> plan_of_pass);

  void step_features(Cycles now) { features.step(now, *plan, fifos, buffers); }
  void step_csb(Cycles now) { csb_last = csb.step(now, *plan, csb_port, fifos[FifoId::Strip], buffers); }
  void step_array(Cycles now);
  // Steps every block by one cycle. The order is free: each block sees only the state at the start of the cycle.
  void step(Cycles now) {
    step_features(now);
    step_csb(now);
    step_array(now);
  }
  std::array<Activity, kBlocks> last() const {
    return {features.reader_last, csb_last, array_last, adder_last, features.writer_last};
  }
  bool steady(Block block) const {
    return (block == Block::Array && array.steady()) || (block == Block::Adder && adder.steady(last_cycle));
  }
  void count(Block block, Cycles cycles) {
    if (block == Block::Array) array.count(cycles);
  }
  // END-1: depends on the features' subsystem alone.
  bool done() const { return features.writer.done(*plan) && features.reader.done(*plan); }
  Cycles quiet_until(Cycles now) const;
  template <class Visit>
  void for_each_port(Visit visit) {
    visit(port_id(Port::Feature), features.read_port);
    visit(port_id(Port::Csb), csb_port);
    visit(port_id(Port::Result), features.write_port);
  }
};

using PeCycles = std::array<std::int64_t, kPeClasses>;
using PassResult = stream::KernelResult<kBlocks, kPorts, kPeClasses>;

PassResult collect(Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory);

// PE-cycles of the MACs in kernels: useful, of unused lanes, and of PEs without a pixel.
PeCycles pe_cycles_of_kernels(const Plan& plan);

using DataMemory = memory::PortStores<kPorts>;

// Fault that a test injects.
enum class Fault : std::uint8_t { None, PingPong };

// Simulates one pass without the SystemC kernel. `data` is nullptr in timing mode. Throws Deadlock if nothing can ever
// move again.
PassResult run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data,
                     const stream::SteppingOptions& options = {}, Fault fault = Fault::None);

}  // namespace weft::batchlane
