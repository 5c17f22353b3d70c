#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/reading.h"
#include "model/core/resources.h"
#include "model/core/units.h"
#include "platform/config/inputs.h"
#include "platform/config/run_config.h"
#include "platform/record/record.h"

namespace weft::design {
struct EquationsNote;
}

namespace weft::dse {

// Resources that a kernel uses, or may use; unknown ones are absent.
struct Resources {
  std::int64_t dsp = 0, bram18 = 0;
  std::optional<std::int64_t> uram, lut, ff, bram_bits;

  std::vector<std::pair<std::string, std::int64_t>> counts() const;  // by their keys, in the order of JSON
};

// Parameters of a kernel, named as in the rows of a run; a parameter may have several named parts.
struct Parts {
  record::Named<std::string> values;
};
using Parameter = std::variant<Value, Parts>;
using Kernel = record::Named<Parameter>;
// Returns one parameter: "x", or "storage.inp" for inp of storage. Throws Error if the kernel has none of that name.
Value value_in(const Kernel& kernel, const std::string& name);
using Values = std::vector<std::pair<std::string, Value>>;
Values values_in(const Kernel& kernel, const std::vector<std::string>& names);

// Keys of a kernel that are tried, and their ranges.
struct Space {
  record::Named<Range> ranges;
};

// Best kernel of one convolution. `seconds`, `gops`: of all its launches in an iteration.
struct Optimum {
  Cycles cycles = 0;
  std::string limiter;
  Kernel kernel;
  Resources resources;
  double seconds = 0, gops = 0;
  std::optional<double> gops_per_watt, seconds_each;
  bool cycles_first = true;           // order of the keys in JSON
  std::optional<std::int64_t> parts;  // launches of each group, if several
};

struct Smallest {
  std::int64_t bram18 = 0, uram = 0;
};

struct Convolution {
  std::string layer;
  conv::Kind kind = conv::Kind::F;
  std::int64_t launches = 0;
  std::int64_t macs = 0;
  std::int64_t arrays = 0;
  std::optional<std::int64_t> within_dsp;
  std::int64_t fitting = 0;
  std::optional<Optimum> optimal;
  std::optional<Smallest> smallest;
  std::optional<std::string> shape;
};

struct Optimal {
  Cycles cycles = 0;
  std::optional<double> seconds;
  double seconds_per_iteration = 0, epoch_hours = 0;
  std::int64_t convolutions = 0, shapes = 0, misfits = 0;
};

// The network on shared kernels.
struct Group {
  Cycles cycles = 0;
  double worst_penalty = 0;
  Kernel kernel;
  std::vector<std::string> convolutions;  // "inception3a.branch1.conv:F"
};
struct Shared {
  std::int64_t kernels = 0;
  Cycles cycles = 0;
  double loss = 0;
  std::vector<Group> groups;
};
struct Fewest : Shared {
  std::int64_t at_least = 0;
};
struct Sharing {
  double penalty_percent = 0;
  Shared heuristic;
  std::optional<Fewest> minimum;
};

// One tile for several convolutions, and the published one.
struct Tile {
  Kernel kernel;
  Resources resources;
  double seconds = 0, gops = 0, gops_per_watt = 0;
  std::optional<double> published_gops_per_watt;
};
struct Tiles {
  Tile optimal;
  std::optional<Tile> published;
  std::optional<std::int64_t> better_than_published;
};
struct LayerTiles : Tiles {
  std::string layer;
  std::optional<double> cpu_gops_per_watt;  // published
};
// GOPS/W of a network whose layers run where they reach more, on the card or on a CPU: the mean of the layers.
struct Mix {
  double optimal = 0, published_tiles = 0;  // with the best tile of each layer, and with the published one
  double cpu = 0;                           // all layers on the CPU
  std::vector<std::string> on_card;         // with the published tiles
  std::optional<double> published, published_cpu;
};
struct NetworkTiles {
  Tiles least_time, highest_mean;
  std::optional<Mix> mix;
};

// One kernel for all convolutions.
struct NetworkKernel {
  Kernel kernel;
  Resources resources;
  Cycles cycles = 0;
  std::optional<Cycles> simulated;
  double seconds = 0, gops = 0;  // by the equations
};

struct ReadingCycles {
  Cycles cycles = 0;
  double epoch_hours = 0;
  std::int64_t misfits = 0;
};

// Results by alternative of a reading, and by reading.
struct Alternatives {
  record::Named<ReadingCycles> values;
};
struct Readings {
  record::Named<Alternatives> values;
};

struct Published {
  std::optional<std::int64_t> kernels;
  std::optional<double> epoch_hours;
  std::optional<std::string> source;
};

struct RankedKernel {
  std::int64_t rank = 0, simulated_rank = 0;
  Cycles equations = 0, simulated = 0;
  Kernel kernel;
};
struct Reranked {
  std::string convolution;
  double loss_of_equations_choice = 0;
  std::vector<RankedKernel> designs;
};
struct Rerank {
  std::string rung;
  int batch = 0;
  std::vector<Reranked> convolutions;
  int count = 0;
};

// Result of an exploration, as printed, saved and read back. The design determines its optional keys: arrays have
// `sharing`, tiles have `network_tile`, a grid of any keys has `network_kernels`.
struct Result {
  std::string weft_version = record::weft_version();
  std::string exploration, network, board;
  int batch = 0;
  double clock_mhz = 0;
  Resources budget;
  std::optional<std::string> minimize;
  std::optional<double> watts;
  std::optional<std::int64_t> tiles;
  std::optional<std::string> split;  // kernel.split_by, if not none
  std::optional<Space> space;
  std::optional<std::int64_t> combinations, possible, fitting;
  record::Named<std::string> readings;
  std::vector<std::string> do_not_know;
  Optimal optimal;
  std::vector<Sharing> sharing;
  std::optional<NetworkTiles> network_tile;
  std::optional<std::vector<NetworkKernel>> network_kernels;
  std::optional<std::vector<LayerTiles>> layers;
  std::optional<std::string> source;
  std::optional<Readings> epoch_hours_by_reading;
  std::optional<Published> published;
  std::optional<Rerank> rerank;
  std::vector<Convolution> convolutions;
  std::vector<std::string> searched;  // parameters of a kernel, in the form of value_in()
  std::string space_text, equations_text;
  std::int64_t dataset_images = 0;
  bool whole_network = false;
  std::optional<std::string> compared_reading;
  std::optional<config::Inputs> inputs;

  // Returns the cycles of all launches: a grid stores those of all launches of a convolution, others those of one.
  Cycles cycles_of(const Convolution& convolution) const {
    return convolution.optimal->cycles * (combinations ? 1 : convolution.launches);
  }
};
void fields(record::Visitor& io, Result& result);
std::string csv_head(const Result& settings);  // first line of the CSV; depends only on the settings

// Returns all that is known before the search, but the space and the searched parameters.
Result settings_of(const std::string& exploration, const config::RunConfig& run, const design::EquationsNote& note,
                   const Budget& budget);
// Returns the sums over the convolutions; `cycles`: of an iteration.
Optimal optimal_of(const Result& result, const config::RunConfig& run, Cycles cycles, std::size_t shapes);

}  // namespace weft::dse
