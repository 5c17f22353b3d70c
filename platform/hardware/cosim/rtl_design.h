#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/cosim/case.h"
#include "platform/hardware/cosim/lockstep.h"
#include "platform/hardware/rtl/package.h"
#include "platform/record/record.h"
#include "workloads/network.h"

namespace weft::cosim {

// A convolution in its memory, ready to run.
struct PlacedCase {
  std::unique_ptr<Case> convolution;
  std::vector<memory::Store> stores;
  AxiEnvironment environment;
};

struct RandomCase {
  std::size_t kind = 0;             // of RtlDesign::kinds()
  std::vector<std::int64_t> sizes;  // of RtlDesign::sizes()
  PlacedCase placed;
  std::optional<RefusedCase> beyond;  // offered before the case; exceeds a limit of the kernel
};

// Offers the kernel `drawn.beyond`, which it must refuse, and then runs the case.
Verdict run_case(RtlKernel& rtl, RandomCase& drawn);

// The convolutions of a run, row by row.
class RunCases {
 public:
  struct Unit {
    std::size_t row = 0;
    std::int64_t weight = 0;  // cycles expected by the equations
    std::string layer, kind;
    std::string name;  // layer, with the group if there are several
  };

  virtual ~RunCases() = default;
  virtual const std::vector<Unit>& units() const = 0;
  virtual Hardware hardware(std::size_t unit) const = 0;
  // Places a unit with random contents of `seed`, on an AXI side that refuses nothing.
  virtual PlacedCase place(std::size_t unit, std::uint64_t seed) const = 0;
};

// Description of a kernel in reports.
struct KernelText {
  std::vector<std::pair<std::string, std::string>> choices;  // counted by value: {"variants", "fgi"}
  record::Named<Value> parameters;
  record::Named<bool> switches;     // of its profile; counted off and on
  std::vector<std::string> filled;  // sizes that its first convolutions fill
  std::vector<std::string> row;     // cells of RtlDesign::row_titles()
  std::vector<int> fifo_depths;     // of the FIFOs with a free depth
  std::vector<stream::PortConfig> ports;
};

// A kernel of a campaign.
class RandomKernel {
 public:
  virtual ~RandomKernel() = default;
  virtual Hardware hardware() const = 0;
  // Draws convolution `number` of build `build` of the campaign `seed`. Throws Error if no draw fits.
  virtual RandomCase draw(std::uint64_t seed, int build, int number) const = 0;
  virtual KernelText text() const = 0;
};

// A small kernel in which faults are injected.
class FaultKernel {
 public:
  virtual ~FaultKernel() = default;
  virtual Hardware hardware() const = 0;
  // Convolutions that each need slightly more of one resource than the kernel has.
  virtual std::vector<RefusedCase> beyond_limits() const = 0;
  // Convolutions that each fill a resource, or reach another chosen case.
  virtual std::vector<PlacedCase> at_limits(std::uint64_t seed) const = 0;
  virtual RandomCase random(std::uint64_t seed, int number) const = 0;
};

inline constexpr std::size_t kMostSizes = 6;

// A design with RTL, as co-simulation uses it.
class RtlDesign {
 public:
  virtual ~RtlDesign() = default;
  virtual const Topology& topology() const = 0;
  virtual const rtl::Sources& sources() const = 0;
  // Name of its units of work, in the plural ("convolutions"); their kinds; and the sizes that distinguish units of a
  // kind, at most kMostSizes.
  virtual const char* units() const = 0;
  virtual std::vector<const char*> kinds() const = 0;
  virtual std::vector<const char*> sizes() const = 0;
  // Plans the units of a run; `run` must outlive the result. Throws Error for parameters that the RTL does not support.
  virtual std::unique_ptr<RunCases> plan(const config::RunConfig& run, const workloads::Network& network) const = 0;
  // Number formats of a campaign's kernels, the default first.
  virtual std::vector<const char*> numbers() const = 0;
  // The kernel of build `build` of the campaign `seed`.
  virtual std::unique_ptr<RandomKernel> random_kernel(std::uint64_t seed, int build,
                                                      const std::string& numbers) const = 0;
  // Columns of KernelText::row, and a line that explains them and the FIFOs of KernelText::fifo_depths.
  virtual std::vector<std::string> row_titles() const = 0;
  virtual std::string row_legend() const = 0;

  // File of faults, relative to configs; and the small kernels in which they are injected, by their names in that file,
  // the default first.
  virtual const char* faults() const = 0;
  virtual std::vector<const char*> small_kernels() const = 0;
  virtual std::unique_ptr<FaultKernel> small_kernel(const std::string& name) const = 0;
};

// Returns the package that `weft rtl` writes for the kernel of a run, without the texts.
rtl::Package package_of(const config::RunConfig& run, const Hardware& hardware);

// Returns build options for the folder that `weft rtl` wrote. Throws Error if it holds another kernel.
BuildOptions exported_build(const std::filesystem::path& folder, const config::RunConfig& run,
                            const Hardware& hardware);

}  // namespace weft::cosim
