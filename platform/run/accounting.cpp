#include "platform/run/accounting.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "model/core/fnv1a.h"

namespace weft::run {

using conv::Kind;

void add(Row& row, const design::UnitResult& unit, bool counted) {
  row.cycles += unit.cycles;
  row.skipped_cycles += unit.skipped_cycles;
  for (std::size_t i = 0; i < unit.blocks.size(); ++i) row.blocks[i] += unit.blocks[i];
  for (std::size_t i = 0; i < unit.ports.size(); ++i) row.ports[i] += unit.ports[i];
  if (!counted) row.account += unit.account;
  if (!row.data) return;
  row.data->digest = row.data->digest * Fnv1a64::kPrime ^ unit.data.digest;
  row.data->largest_error = std::max(row.data->largest_error, unit.data.largest_error);
}

void count_kernels(Result& result) {
  std::vector<const Row*> order;
  for (const Row& row : result.rows) {
    if (row.kind == Kind::F) order.push_back(&row);
  }
  for (auto row = result.rows.rbegin(); row != result.rows.rend(); ++row) {
    if (row->kind != Kind::F) order.push_back(&*row);
  }
  std::vector<const std::vector<std::int64_t>*> distinct;
  const std::vector<std::int64_t>* loaded = nullptr;
  for (const Row* row : order) {
    const auto equal = [&](const std::vector<std::int64_t>* bitstream) { return *bitstream == row->bitstream; };
    if (std::none_of(distinct.begin(), distinct.end(), equal)) distinct.push_back(&row->bitstream);
    if (!loaded || !equal(loaded)) ++result.reconfigurations;
    loaded = &row->bitstream;
  }
  result.kernels = static_cast<std::int64_t>(distinct.size());
}

void describe_memory(Result& result) {
  std::vector<int> channels = config::port_channels(result.config);
  std::sort(channels.begin(), channels.end());
  result.channels_used = static_cast<int>(std::unique(channels.begin(), channels.end()) - channels.begin());
  if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&result.config.board.memory)) {
    result.channel_peak_bytes_per_second = floor(ddr4->data_rate_mtps * 8'000'000);
  }
}

void require_fit(const Result& result) {
  for (const Row& row : result.rows) {
    for (const ResourceUse& use : row.resources) {
      if (use.fits()) continue;
      throw Error(fmt::format(
          "strict_fit: the kernel of layer '{}', {} needs {} {}, board '{}' offers {}; leave "
          "--strict-fit away to simulate it all the same",
          row.layer.name, conv::to_string(row.kind), use.used, use.name, result.config.board.name, use.available));
    }
  }
}

}  // namespace weft::run
