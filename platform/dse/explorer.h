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

// Called from time to time: what is being done, and how far it is.
using Progress = std::function<void(const std::string& phase, std::int64_t done, std::int64_t total)>;

// What an explorer asks of the rungs that simulate: the cycles of a run, all of its rows. `progress`: cycles done, of
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
  std::vector<std::pair<std::string, std::string>> lines;  // for people: a label and a text each
  Result settings;                                         // of its result, all that is known before it is explored

  // As one self-contained YAML file: reading it gives the identical exploration. `with_workers`: how many work on it
  // decides nothing of the result.
  virtual std::string resolved_yaml(bool with_workers) const = 0;
  // The result does not depend on the number of workers. Throws Error if no convolution has a kernel that fits, and
  // what simulating throws.
  virtual Result explore(const workloads::Network& network, const SimulatedCycles& simulate,
                         const Progress& progress) const = 0;
};

// How a design is explored: the best kernel of each convolution, and the fewest kernels. Stateless.
class Explorer {
 public:
  virtual ~Explorer() = default;

  // Throws InputError.
  virtual std::unique_ptr<Exploration> load(const config::Study& study, const config::Library& library) const = 0;
  // Of an exploration's file, no more than finding the kernels that are wanted takes. Throws InputError at what is
  // wanted if there are none such.
  virtual void keep_only(config::Node& file, const config::KernelsOfDse& wanted) const = 0;
  // A kernel by what was searched of it; all else of it (clock, profile, ports) is as the kernel of `run` has it.
  // Throws Error for one that cannot be.
  virtual config::KernelPtr kernel_of(const Values& found, const config::RunConfig& run) const = 0;
};

// The kernel `base` with other values at these keys of its file ("storage.inp"). Throws Error for one that cannot be.
config::KernelPtr kernel_with(const design::Design& design, const config::Kernel& base, const Values& values);

// For designs whose explorations share no kernels. Throws InputError if shared ones are wanted.
void require_own(const config::KernelsOfDse& wanted, const design::Design& design);

// A kernel that an exploration found, with nothing left to be fitted, and what it runs: layers by their names.
struct FoundKernel {
  config::KernelPtr kernel;
  std::vector<std::pair<std::string, conv::Kind>> convolutions;
};

// The kernels of a network, by an exploration. No two are equal. Convolutions without a kernel that fits are in none.
struct KernelSet {
  std::string network;
  std::vector<FoundKernel> kernels;
};

// The kernels that a result has for `wanted`. `file`: where the result stands. Throws InputError: a kernel that cannot
// be, no such penalty.
KernelSet kernel_set(const Explorer& explorer, const Result& result, const std::string& file,
                     const config::KernelsOfDse& wanted, const config::RunConfig& run);

}  // namespace weft::dse
