#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "model/core/reading.h"
#include "model/core/resources.h"
#include "platform/dse/result.h"

namespace weft::dse::grid {

using Combination = std::vector<int>;  // values of the tried keys, in their order

// Equations that are cheap enough for millions of combinations; equal convolutions of a network are evaluated once.
struct Equations {
  struct Launch {
    Cycles cycles = 0;
    const char* limiter = "";
  };
  std::vector<Convolution> convolutions;  // with all values that do not depend on the search
  std::vector<std::size_t> shapes;        // shape of each convolution
  std::vector<std::int64_t> macs;         // of a launch of each shape
  std::function<Resources(const Combination&)> resources;
  std::function<std::vector<double>(const Combination&)> seconds;            // of a launch of each shape, to minimize
  std::function<Launch(const Combination&, std::size_t shape)> launch = {};  // of the kernel alone
};

// Target of the search for one combination: layers, each with the shapes of its convolutions.
struct Target {
  struct Layer {
    double operations = 0;                                       // two per multiply-accumulate
    std::vector<std::pair<std::size_t, std::int64_t>> launches;  // shape and number of launches
  };
  std::vector<Layer> layers;
  // True: the best has the highest mean, over the layers, of operations a second; false: the least total time.
  bool mean_rate = false;
  std::optional<Combination> rival;  // published combination; the search counts better ones
};

struct Found {
  Combination values;
  double seconds = 0;  // of all layers
  double gops = 0;     // mean over the layers of 1e9 operations a second
  Resources resources;
};
struct Best {
  std::optional<Found> best;  // nothing: none fits
  std::optional<Found> rival;
  std::int64_t better_than_rival = 0;  // only combinations that fit
};
struct Searched {
  std::int64_t tried = 0, fitting = 0;  // combinations; those within the budget
  std::vector<Best> best;               // by target
};

// True if a kernel with the resources `use` fits.
bool within(const Resources& use, const Budget& budget);

// Tries every combination whose first value is the i-th of the first range. Ties go to the fewest DSPs, then to the
// fewest blocks and bits, then to the smallest values.
Searched search(const Equations& equations, const std::vector<Range>& ranges, const Budget& budget,
                const std::vector<Target>& targets, std::int64_t i);
// Adds one part of a space to the others; the result does not depend on their order.
void merge(const std::vector<Target>& targets, Searched& into, const Searched& part);

}  // namespace weft::dse::grid
