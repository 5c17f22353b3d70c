#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/core/reading.h"
#include "model/core/resources.h"
#include "platform/config/compose.h"
#include "platform/config/run_config.h"
#include "platform/design/design.h"
#include "platform/dse/explorer.h"
#include "platform/dse/tile_search.h"

// Search of a design whose kernels differ in integers of their file. It tries every combination of the values of some
// keys: as planned runs with each kernel, or as tiles, by equations of the design.
namespace weft::dse::grid {

// A key of a file's `space`.
struct Axis {
  const char* key;
  int largest = 1;          // maximum for any kernel
  bool unknown = false;     // the equations do not depend on it: only simulation distinguishes its values
  Range usual = {0, 0, 1};  // range to try if the file has none; from 0: not tried
};

struct GridConfig;

// Search space of a design. `axes`: all keys that a file's `space` may have; keys of the kernel's file and names of its
// parameters in the rows of a run.
struct Space {
  const design::Design* design = nullptr;
  std::vector<Axis> axes;
  // If the combinations are tiles: the key of the kernel's file that has the axes ("tile", with parameters "tile_r"),
  // the equations, and the reason to refuse a run, "" if there is none.
  std::string tile = {};
  std::function<Equations(const GridConfig&, const workloads::Network&)> equations = {};
  std::function<std::string(const config::RunConfig&)> refused = {};

  bool tiles() const { return !tile.empty(); }
  std::string parameter(const Axis& axis) const { return tiles() ? tile + "_" + axis.key : axis.key; }
};

struct Tried {
  Axis axis;
  Range range;
};

// Published result for a layer, or for the whole network on one kernel; printed next to the found one.
struct PublishedTile {
  std::string layer;  // empty: the whole network
  Combination values;
  std::optional<double> gops_per_watt;
  std::optional<double> cpu_gops_per_watt;  // of a CPU, for the same layer or the mean of all
  std::optional<double> mix_gops_per_watt;  // of the network: each layer on the card or on the CPU
};

// An exploration, checked. docs/how-to/dse.md describes the file.
struct GridConfig {
  std::string name;
  std::string title;
  config::RunConfig run;  // with all values of the kernel that are not tried
  std::vector<Tried> tried;
  Budget budget;
  int rerank = 0;  // number of combinations to simulate, the best by the equations
  // For tiles:
  bool overall = true;  // minimizes the time of transfers over PCIe and the kernel; false: of the kernel alone
  double watts = 80;    // of the card, for GOPS/W; Barista's thesis, section 4.3.1
  std::vector<PublishedTile> published;
  std::string source;  // of the published tiles
};

// Returns the result, which begins as `settings`. It does not depend on the number of workers. Throws Error if no
// combination is a kernel within the budget.
Result explore(const Space& space, const GridConfig& config, Result settings, const workloads::Network& network,
               const SimulatedCycles& simulate, const Progress& progress);
// The same for tiles. Also throws Error if the network lacks a published layer.
Result explore_tiles(const Space& space, const GridConfig& config, Result settings, const workloads::Network& network,
                     const Progress& progress);

class GridExplorer : public Explorer {
 public:
  explicit GridExplorer(Space space) : space_(std::move(space)) {}

  std::unique_ptr<Exploration> load(const config::Experiment& experiment,
                                    const config::Library& library) const override;
  config::Node describe() const override;
  void keep_only(config::Node& file, const config::KernelsOfDse& wanted) const override;
  config::KernelPtr kernel_of(const Values& found, const config::RunConfig& run) const override;

 private:
  Space space_;
};

}  // namespace weft::dse::grid
