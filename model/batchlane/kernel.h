#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "model/batchlane/array.h"
#include "model/batchlane/buffers.h"
#include "model/batchlane/plan.h"
#include "model/batchlane/readers.h"
#include "model/batchlane/result_writer.h"
#include "model/batchlane/topology.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/memory/memory.h"

namespace weft::batchlane {

using BlockActivities = std::array<Activities, kBlocks>;

using Fifos = weft::Fifos<FifoId, kFifos>;

// The feature reader and the result writer on their common port: one transfer at a time, of either (FP-1).
struct FeatureSubsystem {
  FeatureReader reader;
  ResultWriter writer;
  stream::ReadPort read_port;
  stream::WritePort write_port;
  bool wrote_last = false;
  Activity reader_last = Activity::Idle, writer_last = Activity::Idle;

  void step(Cycles now, const Plan& plan, Fifos& fifos, Buffers& buffers);
};

// The whole state of a kernel during one pass.
struct Kernel {
  std::shared_ptr<const Plan> plan;
  FeatureSubsystem features;
  CsbReader csb;
  stream::ReadPort csb_port;
  Array array;
  Adder adder;
  Fifos fifos;
  Buffers buffers;
  Activity csb_last = Activity::Idle, array_last = Activity::Idle, adder_last = Activity::Idle;
  Cycles last_cycle = -1;  // that was stepped

  Kernel() = default;
  explicit Kernel(std::shared_ptr<const Plan> plan_of_pass);

  void step_features(Cycles now) { features.step(now, *plan, fifos, buffers); }
  void step_csb(Cycles now) { csb_last = csb.step(now, *plan, csb_port, fifos[FifoId::Strip], buffers); }
  void step_array(Cycles now);
  // One cycle of every block, in any order: each looks only at the state at the start of the cycle.
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
  // Whether something happened in the last cycle that the next may answer differently to.
  bool moved() const;
  // END-1: of the features' subsystem alone.
  bool done() const { return features.writer.done(*plan) && features.reader.done(*plan); }
  Cycles quiet_until(Cycles now) const;
  template <class Visit>
  void for_each_port(Visit visit) {
    visit(port_id(Port::Feature), features.read_port);
    visit(port_id(Port::Csb), csb_port);
    visit(port_id(Port::Result), features.write_port);
  }
};

std::string describe_deadlock(const Kernel& kernel, Cycles now);

using PeCycles = std::array<std::int64_t, kPeClasses>;

// What one pass took, on any rung that steps blocks.
struct PassResult {
  Cycles cycles = 0;  // from cycle 0 to the one that takes the last write response, inclusive
  BlockActivities activities;
  PeCycles pe_cycles{};  // they sum to the MACs times the cycles
  std::array<memory::PortStats, kPorts> ports;
  Cycles skipped_cycles = 0;
  std::int64_t overflows = 0;
};

// Adds what the blocks did in their last cycle, `count` times.
inline void account(Kernel& kernel, BlockActivities& activities, Cycles count = 1) {
  const auto last = kernel.last();
  for (std::size_t i = 0; i < kBlocks; ++i) activities[i].add(last[i], count);
  kernel.count(Block::Array, count);
}

// `images` of the batch in the pass.
PassResult collect(const Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory);

// Of the MACs that kernels take: useful, of unused lanes, and of PEs without a pixel.
PeCycles pe_cycles_of_kernels(const Plan& plan);

}  // namespace weft::batchlane
