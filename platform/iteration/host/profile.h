#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/config/host.h"
#include "platform/iteration/host/operator_run.h"
#include "workloads/graph/graph.h"

// Times of a network's operators on this machine.
namespace weft::host {

// What making words of fixed point takes on this machine (config::Quantiser).
struct ProfiledQuantiser {
  std::int64_t words = 0;
  std::int64_t quantise_ns = 0, dequantise_ns = 0;  // of them together
};

// A tensor of 4 Mi words of 8 bits, the median of `repeat` runs behind one that is not counted.
ProfiledQuantiser profile_quantiser(int threads, int repeat);

// `base` with what was measured in place of what it had, which is no assumption any more.
config::Host with_quantiser(config::Host base, const ProfiledQuantiser& profiled);

struct ProfileOptions {
  int threads = 1;  // that the runner was made with
  int repeat = 5;   // the median of so many runs, behind one that is not counted
  bool convolutions = false;
};

// The operators that are measured: all that take time on the host.
std::vector<workloads::OperatorId> profiled_operators(const workloads::Graph& graph, bool convolutions);

// Bytes that an operator's tensors take, each memory once. oneDNN may want as much again for what it keeps.
Bytes operand_bytes(const workloads::Graph& graph, workloads::OperatorId op);

// Memory that programs may still take of this machine, or of the control group that this process is in.
Bytes available_memory();

// Throws Error that names the operator that needs the most, if its tensors do not fit twice into `available`.
void check_memory(const workloads::Graph& graph, const std::vector<workloads::OperatorId>& operators, Bytes available);

struct ProfiledOperator {
  workloads::OperatorId op = 0;
  std::int64_t ns = 0;
  std::string kernel;
  bool plain_loop = false;
};

// The lower of the two in the middle, of an even number of runs, behind one that is not counted.
std::int64_t median_ns(OperatorRun& run, int repeat);

// One operator after the other, each with tensors of its own for as long as it runs. `report` is told how many are
// done. Throws Error that names an operator that cannot be run.
std::vector<ProfiledOperator> profile(const workloads::Graph& graph,
                                      const std::vector<workloads::OperatorId>& operators, OperatorRunner& runner,
                                      const ProfileOptions& options, const std::function<void(std::size_t)>& report);

// `base` with what was measured, in place of what it had of this network at this batch.
config::Host with_measured(config::Host base, const workloads::Graph& graph,
                           const std::vector<ProfiledOperator>& profiled, int threads);

}  // namespace weft::host
