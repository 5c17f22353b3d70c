#pragma once

#include <map>
#include <optional>
#include <vector>

#include "platform/record/record.h"
#include "platform/run/result.h"

namespace weft::run {

// Additive counts from which the figures of rows, kinds and the network are computed.
struct Sum {
  std::int64_t convolutions = 0, macs = 0;
  double peak_macs = 0;  // multiply-accumulates that the kernels could have done in their cycles
  Cycles cycles = 0, equations = 0, compute_active = 0;
  Bytes moved = 0;  // over the memory ports, whole beats
  Bytes pcie_to_card = 0, pcie_to_host = 0;
  std::int64_t launches = 0;
  // PE-cycles by class of the design: nothing if the value of a row is unknown. Empty if it is unknown for all rows.
  std::vector<std::optional<std::int64_t>> pe_cycles;
};

struct Figures {
  Cycles cycles = 0;
  std::int64_t macs = 0;
  double seconds = 0;
  double gops = 0;         // two operations per useful multiply-accumulate
  double utilisation = 0;  // useful multiply-accumulates over the array's peak in that time
  // PE-cycles by class; nothing if the rung does not model them.
  std::optional<record::Named<Value>> pe_cycles;
  std::optional<std::int64_t> pe_cycles_of(const std::string& pe_class) const;
  // PEs times cycles, summed: convolutions may have kernels of several sizes. `peak_macs`: those of the run's kernel,
  // for figures without a multiply-accumulate.
  double all_pe_cycles(std::int64_t peak_macs) const;
  // Simulated rows only:
  std::optional<double> stall_share;     // cycles in which the design's compute block did not advance
  std::optional<double> ddr_efficiency;  // bytes moved over the peak of the used channels in that time
  std::optional<double> equation_error;  // (equations - simulated) / simulated
};

// True if the rows were simulated, and so have activities and memory traffic.
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

// The row whose kernel uses most of resource `i` of a report; the first one if several are equal.
const Row& largest_user(const Result& result, std::size_t resource);

// Cost of shared sizes by the equations; nothing if no sizes are shared.
struct SharedCost {
  Cycles shared = 0, unshared = 0;  // summed over all convolutions
  std::vector<const Row*> payers;   // rows that take longer, largest loss first
};
std::optional<SharedCost> shared_cost(const Result& result);

}  // namespace weft::run
