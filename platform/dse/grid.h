#pragma once

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

// Explores; `settings`: of the result. It does not depend on the number of workers. Throws Error if no combination is a
// kernel within the budget.
Result explore(const Space& space, const GridConfig& config, Result settings, const workloads::Network& network,
               const SimulatedCycles& simulate, const Progress& progress);

class GridExplorer : public Explorer {
 public:
  explicit GridExplorer(Space space) : space_(std::move(space)) {}

  std::unique_ptr<Exploration> load(const config::Study& study, const config::Library& library) const override;
  void keep_only(config::Node& file, const config::KernelsOfDse& wanted) const override;
  config::KernelPtr kernel_of(const Values& found, const config::RunConfig& run) const override {
    return kernel_with(*space_.design, *run.kernel, found);
  }

 private:
  Space space_;
};

}  // namespace weft::dse::grid
