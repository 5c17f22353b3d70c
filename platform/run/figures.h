#pragma once

#include <map>
#include <optional>
#include <vector>

#include "platform/record/record.h"
#include "platform/run/result.h"

namespace weft::run {

// What the figures of rows, kinds and the network are made of: they add up.
struct Sum {
  std::int64_t convolutions = 0, macs = 0;
  Cycles cycles = 0, equations = 0, compute_active = 0;
  std::int64_t beats = 0;
  Bytes pcie_to_card = 0, pcie_to_host = 0;
  std::int64_t launches = 0;
  // Of each PE class of the design, nothing where that of a row is not known; empty if none of any row is.
  std::vector<std::optional<std::int64_t>> pe_cycles;
};

struct Figures {
  Cycles cycles = 0;
  std::int64_t macs = 0;
  double seconds = 0;
  double gops = 0;         // two operations a useful multiply-accumulate
  double utilisation = 0;  // useful multiply-accumulates over what the array could do in that time
  // By PE class, nothing where the rung does not know.
  std::optional<record::Named<Value>> pe_cycles;
  std::optional<std::int64_t> pe_cycles_of(const std::string& pe_class) const;
  // Of what was simulated:
  std::optional<double> stall_share;     // cycles in which the design's compute block did not advance
  std::optional<double> ddr_efficiency;  // bytes moved over what the channels in use could move in that time
  std::optional<double> equation_error;  // (equations - simulated) / simulated
};

// Whether the rows were simulated, so that they have activities and memory traffic.
inline bool simulated(const Result& result) {
  return result.config.rung != config::Rung::Analytical;
}

Figures figures(const Result& result, const Sum& sum);
Sum sum_of(const Result& result, const Row& row);
Sum sum_of(const Result& result);
std::map<conv::Kind, Sum> sums_by_kind(const Result& result);
std::int64_t iterations_per_epoch(const Result& result);

// The largest use of each resource over all kernels of the run.
ResourceReport largest_use(const Result& result);
std::vector<const Row*> rows_that_do_not_fit(const Result& result);

// The row whose kernel takes most of resource `i` of a report; the first of several.
const Row& largest_user(const Result& result, std::size_t resource);

// What sizes that are shared cost by the equations; nothing if none are.
struct SharedCost {
  Cycles shared = 0, unshared = 0;  // of all convolutions
  std::vector<const Row*> payers;   // those that take longer, largest loss first
};
std::optional<SharedCost> shared_cost(const Result& result);

}  // namespace weft::run
