#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/core/activity.h"
#include "model/core/topology.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/record/record.h"
#include "platform/run/result.h"
#include "platform/studies/validate/validate_config.h"
#include "workloads/network.h"

namespace weft::validate {

// Convolution on one kernel and rung. Blocks are numbered as in the topology of the kernel's design.
struct Measurement {
  Cycles cycles = 0;
  std::size_t limiter = 0;  // block with the longest work; of equals the most upstream
  // Work of each block: cycles by the equations, or active cycles.
  std::vector<Cycles> work;
  bool simulated = false;
  double processor_seconds = 0;        // of the simulation
  bool repeats = false;                // if simulated: copied from an equal earlier convolution of the kernel
  std::vector<Activities> activities;  // if simulated
};

// Cause of the difference of two rungs at one block. The terms add up to against - model.
// In the equations a convolution takes as long as its slowest block works. In simulation that block is active, blocked,
// starved or idle in each cycle, so the terms are its work beyond its equation, and its waits. Between two simulations
// they are the differences of the four classes, at the block that differs most.
struct Cause {
  std::size_t block = 0;
  Cycles work = 0, blocked = 0, starved = 0, idle = 0;
};

struct Pair {
  std::string kernel;
  const Topology* topology = nullptr;  // of the kernel's design
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  Measurement model, against;

  double error() const {
    return static_cast<double>(model.cycles - against.cycles) / static_cast<double>(against.cycles);
  }
};

// Measurement with the names of the blocks.
struct MeasurementResult {
  Cycles cycles = 0;
  std::string limiter;
  // In the order of the topology: cycles by the block's equation, or its activities in a simulation.
  record::Named<std::variant<Cycles, Activities>> blocks;
  std::optional<bool> repeats;
};
void fields(record::Visitor& io, MeasurementResult& measurement);

struct CauseResult {
  std::string block;
  Cycles work = 0, blocked = 0, starved = 0, idle = 0;
};
void fields(record::Visitor& io, CauseResult& cause);

// Pair with the cause of the difference between its rungs.
struct PairResult {
  std::string kernel, layer;
  conv::Kind kind = conv::Kind::F;
  double error = 0;
  MeasurementResult model, against;
  CauseResult cause;
  std::string reason;
  double processor_seconds = 0;  // of both simulations; not saved

  bool repeats() const { return model.repeats.value_or(false) || against.repeats.value_or(false); }
};

Cause cause(const Measurement& model, const Measurement& against);

// Finds the block that makes `block` wait in `activity` (blocked, starved or idle) for `amount` cycles: goes downstream
// from a blocked or idle block, upstream from a starved one or to the producer of a missing operand, while at least
// half of the wait is found. Returns `block` itself if it waits for memory or for nothing.
std::size_t culprit(const Topology& topology, std::size_t block, Activity activity, Cycles amount,
                    const std::vector<Activities>& activities);

// Explains the difference in words.
std::string reason(const Pair& pair);

// RTL result of a row of a run, summed over its groups.
struct RtlRow {
  Cycles cycles = 0;
  double processor_seconds = 0;
  std::vector<Activities> activities;
};

// Runs the convolutions of `config`, in the order of a run's rows, on the RTL under Verilator in lockstep with the
// model. Throws Error if any handshake differs, since cycle counts would be meaningless. Kernels are built on first
// use. Progress: kernel cycles done and expected.
std::vector<RtlRow> run_rtl(const config::RunConfig& config, const workloads::Network& network,
                            const cosim::BuildContext& build_context,
                            const std::function<void(std::int64_t done, std::int64_t expected)>& progress);

// Called periodically, in millionths of the whole.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

// Runs every convolution of every kernel on both rungs, kernels outermost. Equal convolutions of a kernel are simulated
// once (on the RTL each, since their data differ). `library`: has the networks. `build_context`: builds the RTL if it
// is one of the rungs. Throws Error and Deadlock as the rungs do.
std::vector<Pair> compare(const ValidateConfig& config, const config::Library& library,
                          const cosim::BuildContext& build_context, const Progress& progress);

}  // namespace weft::validate
