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

// The search of a design whose kernels differ in whole numbers of their file: every combination of the values of some
// keys, each planned as a run with that kernel is, or as tiles, by equations of the design.
namespace weft::dse::grid {

// A key of a file's `space`.
struct Axis {
  const char* key;
  int largest = 1;          // that any kernel may have
  bool unknown = false;     // the equations do not depend on it: only simulating tells its values apart
  Range usual = {0, 0, 1};  // that is tried where the file has none; from 0: it is not tried
};

struct GridConfig;

// What a design gives to be searched. `axes`: all that a file's `space` may name, keys of the kernel's file and names
// of its parameters in the rows of a run.
struct Space {
  const design::Design* design = nullptr;
  std::vector<Axis> axes;
  // Of a design whose combinations are tiles: the key of the kernel's file that has the axes ("tile", with parameters
  // "tile_r"), the equations, and what is wrong with a run, if anything is.
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

// What others found for a layer, or for the whole network on one kernel, to print beside.
struct PublishedTile {
  std::string layer;  // empty: of the network
  Combination values;
  std::optional<double> gops_per_watt;
};

// Everything an exploration is, checked. docs/dse.md describes the file.
struct GridConfig {
  std::string name;
  std::string title;
  config::RunConfig run;  // with all of the kernel that is not tried
  std::vector<Tried> tried;
  Budget budget;
  int rerank = 0;  // combinations that are simulated, the best by the equations
  // Of tiles.
  bool overall = true;  // what is minimized: transfers over PCIe and the kernel, or the kernel alone
  double watts = 80;    // of the card, for GOPS/W; Barista's thesis, section 4.3.1
  std::vector<PublishedTile> published;
  std::string source;  // of what is published
};

// Explores; `settings`: of the result. It does not depend on the number of workers. Throws Error if no combination is a
// kernel within the budget.
Result explore(const Space& space, const GridConfig& config, Result settings, const workloads::Network& network,
               const SimulatedCycles& simulate, const Progress& progress);
// The same of tiles. Throws Error, too, if a published layer is none of the network.
Result explore_tiles(const Space& space, const GridConfig& config, Result settings, const workloads::Network& network,
                     const Progress& progress);

class GridExplorer : public Explorer {
 public:
  explicit GridExplorer(Space space) : space_(std::move(space)) {}

  std::unique_ptr<Exploration> load(const config::Study& study, const config::Library& library) const override;
  void keep_only(config::Node& file, const config::KernelsOfDse& wanted) const override;
  config::KernelPtr kernel_of(const Values& found, const config::RunConfig& run) const override;

 private:
  Space space_;
};

}  // namespace weft::dse::grid
