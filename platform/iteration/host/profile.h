#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/config/host.h"
#include "platform/iteration/host/operator_run.h"
#include "workloads/graph/graph.h"

// Measured times of a network's operators on this machine.
namespace weft::host {

// Measured time of converting to and from fixed-point words on this machine (config::Quantiser).
struct ProfiledQuantiser {
  std::int64_t words = 0;
  std::int64_t quantise_ns = 0, dequantise_ns = 0;  // totals for `words`
};

// Measures a tensor of 4 Mi words of 8 bits: the median of `repeat` runs, after a warm-up run.
ProfiledQuantiser profile_quantiser(int threads, int repeat);

// Returns `base` with the measured quantiser costs, no longer marked as assumed.
config::Host with_quantiser(config::Host base, const ProfiledQuantiser& profiled);

struct ProfileOptions {
  int threads = 1;  // threads of the runner
  int repeat = 5;   // number of runs of which the median counts, after a warm-up run
  bool convolutions = false;
};

// Returns the operators to measure: all that take time on the host.
std::vector<workloads::OperatorId> profiled_operators(const workloads::Graph& graph, bool convolutions);

// Bytes of an operator's tensors, shared memory counted once. oneDNN may need as much again for its copies.
Bytes operand_bytes(const workloads::Graph& graph, workloads::OperatorId op);

// Memory still available to programs on this machine, or in this process's control group.
Bytes available_memory();

// Throws Error with the name of the largest operator if twice its tensors exceed `available`.
void check_memory(const workloads::Graph& graph, const std::vector<workloads::OperatorId>& operators, Bytes available);

struct ProfiledOperator {
  workloads::OperatorId op = 0;
  std::int64_t ns = 0;
  std::string kernel;
  bool plain_loop = false;
};

// Median of the runs after a warm-up run; of an even number the lower of the two middle ones.
std::int64_t median_ns(OperatorRun& run, int repeat);

// Measures one operator after the other, each with its own tensors. `report`: receives the number done. Throws Error
// with the name of an operator that cannot be run.
std::vector<ProfiledOperator> profile(const workloads::Graph& graph,
                                      const std::vector<workloads::OperatorId>& operators, OperatorRunner& runner,
                                      const ProfileOptions& options, const std::function<void(std::size_t)>& report);

// Returns `base` with the measured entries in place of those of this network at this batch.
config::Host with_measured(config::Host base, const workloads::Graph& graph,
                           const std::vector<ProfiledOperator>& profiled, int threads);

}  // namespace weft::host
