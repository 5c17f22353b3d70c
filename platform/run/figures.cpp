#include "platform/run/figures.h"

#include <algorithm>
#include <cmath>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"

namespace weft::run {

namespace {

void count(Sum& sum, const Result& result, const Row& row, std::size_t compute_block) {
  ++sum.convolutions;
  checked::add(sum.macs, row.macs, "the multiply-accumulates of all convolutions");
  checked::add(sum.cycles, row.cycles, "the cycles of all convolutions");
  sum.peak_macs += static_cast<double>(row.cycles) * static_cast<double>(row.peak_macs);
  checked::add(sum.equations, row.equations.cycles, "the cycles of all convolutions by the equations");
  sum.compute_active += row.blocks[compute_block].of(Activity::Active);  // cannot exceed the cycles
  if (simulated(result)) {
    constexpr const char* kMoved = "the bytes of memory of all convolutions";
    const std::vector<config::KernelPort> ports = result.config.kernel->ports();
    for (std::size_t i = 0; i < row.ports.size(); ++i) {
      const std::int64_t beats = checked::sum(kMoved, {row.ports[i].read_beats, row.ports[i].write_beats});
      checked::add(sum.moved, checked::product(kMoved, {beats, ports[i].beat_bytes}), kMoved);
    }
  }
  checked::add(sum.pcie_to_card, row.pcie_to_card, "the bytes to the card of all convolutions");
  checked::add(sum.pcie_to_host, row.pcie_to_host, "the bytes to the host of all convolutions");
  checked::add(sum.launches, row.launches, "the launches of all convolutions");
  if (sum.convolutions == 1) {
    sum.pe_cycles = row.pe_cycles;
    return;
  }
  for (std::size_t i = 0; i < sum.pe_cycles.size(); ++i) {
    std::optional<std::int64_t>& all = sum.pe_cycles[i];
    if (all && row.pe_cycles[i]) {
      checked::add(*all, *row.pe_cycles[i], "the PE-cycles of all convolutions");
    } else {
      all.reset();
    }
  }
}

}  // namespace

std::optional<std::int64_t> Figures::pe_cycles_of(const std::string& pe_class) const {
  const Value* const value = pe_cycles ? record::find(*pe_cycles, pe_class) : nullptr;
  const auto* const count = value ? std::get_if<std::int64_t>(value) : nullptr;
  return count ? std::optional(*count) : std::nullopt;
}

double Figures::all_pe_cycles(std::int64_t peak_macs) const {
  if (utilisation > 0) return std::round(static_cast<double>(macs) / utilisation);
  return static_cast<double>(peak_macs) * static_cast<double>(cycles);
}

Figures figures(const Result& result, const Sum& sum) {
  const config::Kernel& kernel = *result.config.kernel;
  const auto cycles = static_cast<double>(sum.cycles);
  Figures f;
  f.cycles = sum.cycles;
  f.macs = sum.macs;
  const std::vector<PeClassInfo>& classes = design::design_of(result.config).topology().pe_classes;
  for (std::size_t i = 0; i < sum.pe_cycles.size(); ++i) {
    if (i == 0) f.pe_cycles.emplace();
    f.pe_cycles->emplace_back(classes[i].name, sum.pe_cycles[i] ? Value(*sum.pe_cycles[i]) : Value());
  }
  const double peak = static_cast<double>(result.channel_peak_bytes_per_second) * result.channels_used;
  if (simulated(result)) f.stall_share = f.equation_error = 0;
  if (simulated(result) && peak > 0) f.ddr_efficiency = 0;
  if (sum.cycles == 0) return f;
  f.seconds = seconds(sum.cycles, kernel.clock);
  f.gops = 2e-9 * static_cast<double>(sum.macs) / f.seconds;
  f.utilisation = static_cast<double>(sum.macs) / sum.peak_macs;
  if (!simulated(result)) return f;
  f.stall_share = 1 - static_cast<double>(sum.compute_active) / cycles;
  if (f.ddr_efficiency) f.ddr_efficiency = static_cast<double>(sum.moved) / (peak * f.seconds);
  f.equation_error = static_cast<double>(sum.equations - sum.cycles) / cycles;
  return f;
}

Sum sum_of(const Result& result, const Row& row) {
  Sum sum;
  count(sum, result, row, design::design_of(result.config).compute_block());
  return sum;
}

Sum sum_of(const Result& result) {
  const std::size_t compute_block = design::design_of(result.config).compute_block();
  Sum sum;
  for (const Row& row : result.rows) count(sum, result, row, compute_block);
  return sum;
}

std::map<conv::Kind, Sum> sums_by_kind(const Result& result) {
  const std::size_t compute_block = design::design_of(result.config).compute_block();
  std::map<conv::Kind, Sum> kinds;
  for (const Row& row : result.rows) count(kinds[row.kind], result, row, compute_block);
  return kinds;
}

std::int64_t iterations_per_epoch(const Result& result) {
  return result.config.iterations_per_epoch();
}

ResourceReport largest_use(const Result& result) {
  ResourceReport largest = result.rows.front().resources;
  for (const Row& row : result.rows) {
    for (std::size_t i = 0; i < largest.size(); ++i) largest[i].used = std::max(largest[i].used, row.resources[i].used);
  }
  return largest;
}

std::vector<const Row*> rows_that_do_not_fit(const Result& result) {
  std::vector<const Row*> rows;
  for (const Row& row : result.rows) {
    if (!fits(row.resources)) rows.push_back(&row);
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
    if (!row.equations.unshared) continue;
    any = true;
    checked::add(cost.shared, row.equations.cycles, "the cycles of all convolutions by the equations");
    checked::add(cost.unshared, *row.equations.unshared, "the cycles of all convolutions by the equations");
    if (row.equations.cycles > *row.equations.unshared) cost.payers.push_back(&row);
  }
  if (!any) return std::nullopt;
  const auto loss = [](const Row* row) { return row->equations.cycles - *row->equations.unshared; };
  std::stable_sort(cost.payers.begin(), cost.payers.end(),
                   [&](const Row* a, const Row* b) { return loss(a) > loss(b); });
  return cost;
}

}  // namespace weft::run
