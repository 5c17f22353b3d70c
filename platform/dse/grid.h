#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/core/range.h"
#include "model/core/resources.h"
#include "model/core/value.h"
#include "platform/config/run_config.h"
#include "platform/config/study.h"
#include "platform/design/design.h"
#include "platform/dse/explorer.h"

// The search of a design whose kernels differ in whole numbers of their file: every combination of the values of some
// keys, each planned as a run with that kernel is.
namespace weft::dse::grid {

// A key of a kernel's file, which is the name of its parameter in the rows of a run, too.
struct Axis {
  const char* key;
  int largest = 1;       // that any kernel may have
  bool unknown = false;  // the equations do not depend on it: only simulating tells its values apart
};

// What a design gives to be searched. `axes`: all that a file's `space` may name.
struct Space {
  const design::Design* design = nullptr;
  std::vector<Axis> axes;
};

struct Tried {
  Axis axis;
  Range range;
};

// Everything an exploration is, checked. docs/dse.md describes the file.
struct GridConfig {
  std::string name;
  std::string title;
  config::RunConfig run;  // with all of the kernel that is not tried
  std::vector<Tried> tried;
  Budget budget;
  int rerank = 0;  // combinations that are simulated, the best by the equations
};

GridConfig read_grid(const Space& space, const config::Study& study, const config::Library& library);
std::string resolved_yaml(const GridConfig& config);

using Values = std::vector<int>;  // of the keys that are tried, in their order
using Counts = std::vector<std::pair<std::string, std::int64_t>>;

// A kernel and what is known of it.
struct Found {
  Values values;
  std::vector<std::pair<std::string, Value>> kernel;  // its parameters, as rows of a run name them
  Counts resources;                                   // as JSON names them
  Cycles cycles = 0;                                  // by the equations
  std::string limiter;                                // of one convolution
  std::optional<Cycles> simulated;
};

struct Convolution {
  std::string layer;
  conv::Kind kind = conv::Kind::F;
  std::int64_t launches = 0;
  std::int64_t macs = 0;
  std::int64_t fitting = 0;   // kernels within the budget
  std::optional<Found> best;  // the fewest cycles by the equations; of equal ones the fewest of each resource
};

struct GridResult {
  GridConfig config;
  std::string network;
  // Combinations; those that are kernels and compute the network; those of them that are within the budget.
  std::int64_t combinations = 0, possible = 0, fitting = 0;
  std::vector<Convolution> convolutions;
  // The best kernels for all convolutions: the simulated ones by what they took, the others behind them by the
  // equations.
  std::vector<Found> ranked;

  Cycles optimal_cycles() const;  // each convolution on its own best kernel
  std::int64_t misfits() const;
};

// The result does not depend on the number of workers. Throws Error if no combination is a kernel within the budget.
GridResult explore(const Space& space, const GridConfig& config, const workloads::Network& network,
                   const SimulatedCycles& simulate, const Progress& progress);

// The run's kernel with other values of the keys that are tried. Throws Error for one that cannot be.
config::KernelPtr kernel_with(const Space& space, const config::Kernel& base, const std::vector<Tried>& tried,
                              const Values& values);

// The version of a result.json; it grows when a key changes its meaning or goes.
inline constexpr int kGridSchema = 1;

std::string csv_head(const GridConfig& config);
report::Report report(const Space& space, const std::vector<GridResult>& results, const report::TableView& view);
// What the report is of. Throws InputError.
GridResult read_result(const GridConfig& config, const std::string& json, const std::string& file);
// The values of the keys of `tried` in a kernel's parameters as JSON.
Values values_in(const nlohmann::ordered_json& kernel, const std::vector<Tried>& tried);

class GridExplorer : public Explorer {
 public:
  explicit GridExplorer(Space space) : space_(std::move(space)) {}

  std::unique_ptr<Exploration> load(const config::Study& study, const config::Library& library) const override;
  void keep_only(config::Node& file, const config::KernelsOfDse& wanted) const override;
  std::unique_ptr<Explored> explore(const Exploration& exploration, const workloads::Network& network,
                                    const SimulatedCycles& simulate, const Progress& progress) const override;
  report::Report report(const std::vector<const Explored*>& explored, const report::TableView& view) const override;
  std::unique_ptr<Explored> read(const Exploration& exploration, const workloads::Network& network,
                                 const std::string& json, const std::string& file) const override;
  KernelSet kernel_set(const std::string& json, const std::string& file, const config::KernelsOfDse& wanted,
                       const config::RunConfig& run) const override;

 private:
  Space space_;
};

}  // namespace weft::dse::grid
