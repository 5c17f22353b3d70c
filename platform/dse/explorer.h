#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/compose.h"
#include "platform/config/run_config.h"
#include "platform/config/schedule.h"
#include "platform/design/design.h"
#include "platform/dse/result.h"
#include "workloads/network.h"

namespace weft::dse {

// Called from time to time with the phase of the work and its progress.
using Progress = std::function<void(const std::string& phase, std::int64_t done, std::int64_t total)>;

// Simulating rungs, for an explorer: returns the cycles of a run with all of its rows. `progress`: cycles done, of
// those expected.
using SimulatedCycles =
    std::function<Cycles(const config::RunConfig& run, const workloads::Network& network,
                         const std::function<void(std::int64_t done, std::int64_t expected)>& progress)>;

// An exploration, read and checked.
class Exploration {
 public:
  virtual ~Exploration() = default;

  std::string title;
  config::RunConfig run;
  std::vector<std::pair<std::string, std::string>> lines;  // for display: a label and a text each
  Result settings;                                         // part of the result that is known before the exploration

  // Returns one self-contained YAML file: reading it gives the identical exploration. `with_workers`: with the number
  // of workers, which does not affect the result.
  virtual std::string resolved_yaml(bool with_workers) const = 0;
  // Returns the result, which does not depend on the number of workers. Throws Error if no convolution has a kernel
  // that fits, and errors of `simulate`.
  virtual Result explore(const workloads::Network& network, const SimulatedCycles& simulate,
                         const Progress& progress) const = 0;
};

// Exploration of a design: the best kernel of each convolution, and the fewest kernels. Stateless.
class Explorer {
 public:
  virtual ~Explorer() = default;

  // Throws InputError.
  virtual std::unique_ptr<Exploration> load(const config::Experiment& experiment,
                                            const config::Library& library) const = 0;
  virtual config::Node describe() const = 0;  // JSON Schema of the file of an exploration
  // Reduces the file of an exploration to the work that finds the wanted kernels. Throws InputError at `wanted` if
  // there are none such.
  virtual void keep_only(config::Node& file, const config::KernelsOfDse& wanted) const = 0;
  // Returns the kernel of the values that were found; its other keys (clock, profile, ports) are those of the kernel of
  // `run`. Throws Error for an invalid kernel.
  virtual config::KernelPtr kernel_of(const Values& found, const config::RunConfig& run) const = 0;
  // Name in configs/dse of an exploration that shares kernels within all that the run's board has; null: there is none.
  virtual const char* shared_kernels() const { return nullptr; }
};

// Returns the kernel `base` with other values at these keys of its file ("storage.inp"). Throws Error if it is invalid.
config::KernelPtr kernel_with(const design::Design& design, const config::Kernel& base, const Values& values);

// For designs whose explorations share no kernels. Throws InputError if `wanted` requests shared ones.
void require_own(const config::KernelsOfDse& wanted, const design::Design& design);

// A kernel that an exploration found, all sizes fixed, and the convolutions that it runs: layers by their names.
struct FoundKernel {
  config::KernelPtr kernel;
  std::vector<std::pair<std::string, conv::Kind>> convolutions;
};

// Kernels of a network from an exploration, all different. Convolutions without a kernel that fits are in none.
struct KernelSet {
  std::string network;
  std::vector<FoundKernel> kernels;
};

// Returns the kernels of a result for `wanted`. `file`: path of the result. Throws InputError for an invalid kernel and
// for a penalty that the result does not have.
KernelSet kernel_set(const Explorer& explorer, const Result& result, const std::string& file,
                     const config::KernelsOfDse& wanted, const config::RunConfig& run);

// A kernel of a result: that of a convolution ("conv1:F"), or of a group of shared ones (from 1) within a penalty in
// per cent (default: the first of the result). Texts as a user gives them; exactly one of the first two is not empty.
struct OneKernel {
  std::string convolution, group, penalty;

  bool given() const { return !convolution.empty() || !group.empty() || !penalty.empty(); }
};
// Returns the kernel as a file, after a comment with its convolutions. Throws Error if the result has none such.
std::string kernel_file(const Explorer& explorer, const Result& result, const config::RunConfig& run,
                        const OneKernel& wanted);

}  // namespace weft::dse
