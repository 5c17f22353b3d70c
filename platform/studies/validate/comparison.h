#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/core/activity.h"
#include "model/core/topology.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/run/result.h"
#include "platform/studies/validate/validate_config.h"
#include "workloads/network.h"

namespace weft::validate {

// One convolution on one kernel, on one rung. Blocks are numbered as in the topology of the kernel's design.
struct Measurement {
  Cycles cycles = 0;
  std::size_t limiter = 0;  // the block whose work is longest, ties to the most upstream
  // What each block worked: its cycles by the equations, or those in which it was active.
  std::vector<Cycles> work;
  bool simulated = false;
  bool repeats = false;  // if simulated: not itself, for it equals a convolution before it on the same kernel
  std::vector<Activities> activities;  // if simulated
};

// Where the difference of two rungs comes from, at one block. Its terms add up to against - model.
//
// The equations say that a convolution takes as long as its slowest block works. In the simulation that block is
// active, blocked, starved or idle in every cycle, so the terms are: how much longer it works than its equation, and
// how long it waits. Between two simulations they are the differences of the four classes, at the block that differs
// most.
struct Cause {
  std::size_t block = 0;
  Cycles work = 0, blocked = 0, starved = 0, idle = 0;
};

struct Pair {
  std::string kernel;
  const Topology* topology = nullptr;  // of its design
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  Measurement model, against;

  double error() const {
    return static_cast<double>(model.cycles - against.cycles) / static_cast<double>(against.cycles);
  }
};

Cause cause(const Measurement& model, const Measurement& against);

// The block that makes `block` wait in `activity` (blocked, starved or idle) for `amount` cycles of a simulation: down
// the pipe from a blocked or idle block, up from a starved one, as far as at least half of the wait is found; `block`
// itself if it waits for memory or for nothing. Where a block lacks its other operand, what should bring that is meant.
std::size_t culprit(const Topology& topology, std::size_t block, Activity activity, Cycles amount,
                    const std::vector<Activities>& activities);

// In words, for someone who looks for what the model leaves out.
std::string reason(const Pair& pair);

// What a row of a run took in the RTL, its groups summed.
struct RtlRow {
  Cycles cycles = 0;
  std::vector<Activities> activities;
};

// The convolutions of `config` in the order of a run's rows, on the RTL under Verilator, which runs in lockstep with
// the model: where they differ in any handshake, no cycle count is worth anything, and that is an Error. The kernels
// are built when they are first met. Progress: kernel cycles done and expected.
std::vector<RtlRow> run_rtl(const config::RunConfig& config, const workloads::Network& network,
                            const cosim::Workshop& workshop,
                            const std::function<void(std::int64_t done, std::int64_t expected)>& progress);

// Called from time to time: millionths of the whole that are done.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

// Every convolution of every kernel on both rungs, kernels outermost. Equal convolutions of a kernel are simulated once
// (on the RTL each, for their data differ). `workshop` is where the RTL is built, if it is
// one of the rungs. Throws Error and Deadlock as the rungs do.
std::vector<Pair> compare(const ValidateConfig& config, const workloads::Network& network,
                          const cosim::Workshop& workshop, const Progress& progress);

}  // namespace weft::validate
