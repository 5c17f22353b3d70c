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

using Combination = std::vector<int>;  // values of the keys that are tried, in their order

// Equations that are cheap enough for millions of combinations: of the convolutions of a network, equal ones once.
struct Equations {
  struct Launch {
    Cycles cycles = 0;
    const char* limiter = "";
  };
  std::vector<Convolution> convolutions;  // with all that does not depend on the search
  std::vector<std::size_t> shapes;        // of each
  std::vector<std::int64_t> macs;         // of a launch of each shape
  std::function<Resources(const Combination&)> resources;
  std::function<std::vector<double>(const Combination&)> seconds;            // of a launch of each shape, to minimize
  std::function<Launch(const Combination&, std::size_t shape)> launch = {};  // of the kernel alone
};

// What one combination is looked for: layers, each with the shapes of its convolutions.
struct Target {
  struct Layer {
    double operations = 0;                                       // two a multiply-accumulate
    std::vector<std::pair<std::size_t, std::int64_t>> launches;  // of which shape, and how many
  };
  std::vector<Layer> layers;
  // The best has the highest mean, over the layers, of operations a second; else the least time in all.
  bool mean_rate = false;
  std::optional<Combination> rival;  // what others found: how many do better?
};

struct Found {
  Combination values;
  double seconds = 0;  // of all layers
  double gops = 0;     // mean over the layers of 1e9 operations a second
  Resources resources;
};
struct Best {
  std::optional<Found> best;  // nothing fits
  std::optional<Found> rival;
  std::int64_t better_than_rival = 0;  // combinations that fit
};
struct Searched {
  std::int64_t tried = 0, fitting = 0;  // combinations; within the budget
  std::vector<Best> best;               // by target
};

// Whether a kernel that takes `use` fits.
bool within(const Resources& use, const Budget& budget);

// Tries every combination whose first value is the i-th of the first range. Of equal ones the fewest DSPs win, then the
// fewest blocks and bits, then the smallest values.
Searched search(const Equations& equations, const std::vector<Range>& ranges, const Budget& budget,
                const std::vector<Target>& targets, std::int64_t i);
// Both parts of a space: the same whatever the order of the parts.
void merge(const std::vector<Target>& targets, Searched& into, const Searched& part);

}  // namespace weft::dse::grid
