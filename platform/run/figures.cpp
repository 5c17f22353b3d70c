#include "platform/run/figures.h"

#include <algorithm>

namespace weft::run {

void Sum::add(const Row& row) {
  ++convolutions;
  macs += row.macs;
  cycles += row.cycles;
  equations += row.gamma.total;
  pe_cycles += row.cycles * row.alpha.x * row.alpha.y;
  array_active += row.activities[static_cast<std::size_t>(fpgpt::Block::Array)].of(Activity::Active);
  for (const memory::PortStats& port : row.ports) {
    beats += port.read_beats + port.write_beats;
    bytes += (port.read_beats + port.write_beats) * row.alpha.beat_bytes();
  }
  pcie_to_card += row.pcie_to_card;
  pcie_to_host += row.pcie_to_host;
  launches += row.launches;
}

Figures figures(const Result& result, const Sum& sum) {
  const Frequency frequency = result.config.kernel.clock;
  Figures f;
  f.seconds =
      static_cast<double>(sum.cycles) * static_cast<double>(frequency.den) / (static_cast<double>(frequency.num) * 1e6);
  if (sum.cycles == 0) return f;
  f.gops = 2e-9 * static_cast<double>(sum.macs) / f.seconds;
  f.utilisation = static_cast<double>(sum.macs) / static_cast<double>(sum.pe_cycles);
  f.stall_share = simulated(result) ? 1 - static_cast<double>(sum.array_active) / static_cast<double>(sum.cycles) : 0;
  const double peak = static_cast<double>(result.channel_peak_bytes_per_second) * result.channels_used;
  if (peak > 0) f.ddr_efficiency = static_cast<double>(sum.bytes) / (peak * f.seconds);
  f.equation_error = static_cast<double>(sum.equations - sum.cycles) / static_cast<double>(sum.cycles);
  return f;
}

Sum sum_of(const Row& row) {
  Sum sum;
  sum.add(row);
  return sum;
}

Sum sum_of(const Result& result) {
  Sum sum;
  for (const Row& row : result.rows) sum.add(row);
  return sum;
}

std::map<conv::Kind, Sum> sums_by_kind(const Result& result) {
  std::map<conv::Kind, Sum> kinds;
  for (const Row& row : result.rows) kinds[row.kind].add(row);
  return kinds;
}

std::int64_t iterations_per_epoch(const Result& result) {
  return ceil_div(result.config.dataset_images, result.config.batch);
}

fpgpt::ResourceReport largest_use(const Result& result) {
  fpgpt::ResourceReport largest = result.rows.front().resources;
  for (const Row& row : result.rows) {
    for (std::size_t i = 0; i < largest.size(); ++i) largest[i].used = std::max(largest[i].used, row.resources[i].used);
  }
  return largest;
}

std::vector<const Row*> rows_that_do_not_fit(const Result& result) {
  std::vector<const Row*> rows;
  for (const Row& row : result.rows) {
    if (!fpgpt::fits(row.resources)) rows.push_back(&row);
  }
  return rows;
}

const Row& largest_user(const Result& result, std::size_t resource) {
  return *std::max_element(result.rows.begin(), result.rows.end(), [&](const Row& a, const Row& b) {
    return a.resources[resource].used < b.resources[resource].used;
  });
}

std::optional<SharedCost> shared_cost(const Result& result) {
  SharedCost cost;
  bool any = false;
  for (const Row& row : result.rows) {
    if (!row.unshared) continue;
    any = true;
    cost.shared += row.gamma.total;
    cost.unshared += *row.unshared;
    if (row.gamma.total > *row.unshared) cost.payers.push_back(&row);
  }
  if (!any) return std::nullopt;
  const auto loss = [](const Row* row) { return row->gamma.total - *row->unshared; };
  std::stable_sort(cost.payers.begin(), cost.payers.end(),
                   [&](const Row* a, const Row* b) { return loss(a) > loss(b); });
  return cost;
}

}  // namespace weft::run
