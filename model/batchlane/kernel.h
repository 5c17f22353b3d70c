#pragma once

#include <array>
#include <memory>
#include <string>

#include "model/batchlane/adder.h"
#include "model/batchlane/array.h"
#include "model/batchlane/buffers.h"
#include "model/batchlane/csb_reader.h"
#include "model/batchlane/feature_reader.h"
#include "model/batchlane/plan.h"
#include "model/batchlane/result_writer.h"
#include "model/batchlane/topology.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"

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
  // Calls visit(memory port, port) for each.
  template <class Visit>
  void for_each_port(Visit visit) {
    visit(port_id(Port::Feature), features.read_port);
    visit(port_id(Port::Csb), csb_port);
    visit(port_id(Port::Result), features.write_port);
  }
};

std::string describe_deadlock(const Kernel& kernel, Cycles now);

}  // namespace weft::batchlane
