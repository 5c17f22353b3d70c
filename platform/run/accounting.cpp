#include "platform/run/accounting.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <type_traits>

#include "model/core/error.h"
#include "model/core/fnv1a.h"
#include "platform/catalogue/designs.h"
#include "platform/design/row.h"
#include "platform/design/rows_work.h"
#include "platform/run/figures.h"

namespace weft::run {

using conv::Kind;

void begin_adding(Row& row, const Topology& topology) {
  row.cycles = 0;
  row.pe_cycles.assign(topology.pe_classes.size(), 0);
}

void add(Row& row, const design::UnitResult& unit, bool counted) {
  // The other counts cannot overflow: each is a part of the cycles or of the PE-cycles.
  checked::add(row.cycles, unit.cycles, "the cycles of a convolution");
  checked::add(row.drain_cycles, unit.drain_cycles, "the cycles of a convolution");
  row.skipped_cycles += unit.skipped_cycles;
  for (std::size_t i = 0; i < unit.blocks.size(); ++i) row.blocks[i] += unit.blocks[i];
  for (std::size_t i = 0; i < unit.ports.size(); ++i) row.ports[i] += unit.ports[i];
  for (std::size_t i = 0; i < unit.pe_cycles.size(); ++i) {
    checked::add(*row.pe_cycles[i], unit.pe_cycles[i], "the PE-cycles of a convolution");
  }
  if (!counted) row.account += unit.account;
  if (!row.data) return;
  row.data->digest = row.data->digest * Fnv1a64::kPrime ^ unit.data.digest;
  row.data->largest_error = std::max(row.data->largest_error, unit.data.largest_error);
  if (unit.data.overflows) row.data->overflows = row.data->overflows.value_or(0) + *unit.data.overflows;
}

void take_simulated(Row& row, const Row& from) {
  row.cycles = from.cycles;
  row.drain_cycles = from.drain_cycles;
  row.skipped_cycles = from.skipped_cycles;
  row.blocks = from.blocks;
  row.ports = from.ports;
  row.pe_cycles = from.pe_cycles;
  row.limiter = from.limiter;
  for (std::size_t i = 0; i < row.units.size(); ++i) row.units[i].cycles = from.units[i].cycles;
}

void describe_units(const design::Work& work, std::vector<Row>& rows) {
  const std::vector<design::Work::Unit> units = work.units();
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    Row& row = rows[units[unit].row];
    row.units.push_back({work.launch(unit), units[unit].weight});
    const std::vector<design::UnitTensor> tensors = work.tensors(unit);
    if (row.tensors.empty()) {
      row.host_prepared = work.host_prepared(unit);
      row.tensors = tensors;
      continue;
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) row.tensors[i].bytes += tensors[i].bytes;
  }
}

void count_kernels(Result& result) {
  const std::vector<std::size_t> bitstreams = design::bitstreams_of(result.rows);
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < bitstreams.size(); ++row) {
    if (result.rows[row].kind == Kind::F) order.push_back(row);
  }
  for (std::size_t row = bitstreams.size(); row-- > 0;) {
    if (result.rows[row].kind != Kind::F) order.push_back(row);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (bitstreams[order[i]] != bitstreams[order[i == 0 ? order.size() - 1 : i - 1]]) ++result.loads;
  }
  result.kernels =
      bitstreams.empty() ? 0 : 1 + static_cast<std::int64_t>(*std::max_element(bitstreams.begin(), bitstreams.end()));
}

void describe_memory(Result& result) {
  std::vector<int> channels = config::port_channels(result.config);
  std::sort(channels.begin(), channels.end());
  result.channels_used = static_cast<int>(std::unique(channels.begin(), channels.end()) - channels.begin());
  if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&result.config.board.memory)) {
    result.channel_peak_bytes_per_second = floor(ddr4->data_rate_mtps * 8'000'000);
  }
}

Result prepared(const config::RunConfig& config, const workloads::Network& network, const design::Work& work) {
  const Topology& topology = design::design_of(config).topology();
  Result result;
  result.config = config;
  result.network = network;
  result.rows = work.rows();
  for (Row& row : result.rows) {
    row.blocks.resize(topology.blocks.size());
    row.ports.resize(topology.ports.size());
    row.peak_macs = config.kernel->peak_macs();
    for (ResourceUse& use : row.resources) use.known = config::states(config.board, use.name);
  }
  describe_units(work, result.rows);
  describe_memory(result);
  count_kernels(result);
  sum_of(result);  // reports an overflow before anything is simulated
  return result;
}

Result merged(const config::RunConfig& run, const workloads::Network& network, const std::vector<Result>& parts) {
  std::map<std::tuple<bool, std::string, Kind>, const Row*> rows;
  for (const Result& part : parts) {
    for (const Row& row : part.rows) rows[{row.fully_connected, row.layer.name, row.kind}] = &row;
  }
  Result result;
  result.config = run;
  result.network = network;
  for (const auto& chosen : design::chosen_rows<design::ChosenRow>(run, network)) {
    result.rows.push_back(*rows.at({chosen.fully_connected, chosen.layer.name, chosen.kind}));
  }
  describe_memory(result);
  count_kernels(result);
  return result;
}

void require_fit(const Result& result) {
  for (const Row& row : result.rows) {
    for (const ResourceUse& use : row.resources) {
      if (use.fits()) continue;
      throw Error(fmt::format(
          "strict_fit: the kernel of layer '{}', {} needs {} {}, board '{}' offers {}; leave out "
          "--strict-fit to simulate anyway",
          row.layer.name, conv::to_string(row.kind), use.used, use.name, result.config.board.name, use.available));
    }
  }
}

namespace {

// Words before those of the blocks and ports.
struct Head {
  Cycles cycles = 0;
  Cycles drain_cycles = 0;
  Cycles skipped_cycles = 0;
  engine::ExactAccount account;
  design::DataCheck data;
};

static_assert(std::is_trivially_copyable_v<Head> && std::is_trivially_copyable_v<Activities> &&
              std::is_trivially_copyable_v<memory::PortStats>);

template <class T>
constexpr std::size_t words_of() {
  static_assert(sizeof(T) % sizeof(std::int64_t) == 0);
  return sizeof(T) / sizeof(std::int64_t);
}
template <class T>
void put(const T& value, std::int64_t*& words) {
  std::memcpy(words, &value, sizeof(T));
  words += words_of<T>();
}
template <class T>
void take(T& value, const std::int64_t*& words) {
  std::memcpy(static_cast<void*>(&value), words, sizeof(T));
  words += words_of<T>();
}

}  // namespace

std::size_t unit_words(const Topology& topology) {
  return words_of<Head>() + topology.blocks.size() * words_of<Activities>() +
         topology.ports.size() * words_of<memory::PortStats>() + topology.pe_classes.size();
}

void write_unit(const design::UnitResult& unit, std::int64_t* words) {
  put(Head{unit.cycles, unit.drain_cycles, unit.skipped_cycles, unit.account, unit.data}, words);
  for (const Activities& block : unit.blocks) put(block, words);
  for (const memory::PortStats& port : unit.ports) put(port, words);
  for (const std::int64_t pe_cycles : unit.pe_cycles) *words++ = pe_cycles;
}

design::UnitResult read_unit(const Topology& topology, const std::int64_t* words) {
  Head head;
  take(head, words);
  design::UnitResult unit;
  unit.cycles = head.cycles;
  unit.drain_cycles = head.drain_cycles;
  unit.skipped_cycles = head.skipped_cycles;
  unit.account = head.account;
  unit.data = head.data;
  unit.blocks.resize(topology.blocks.size());
  for (Activities& block : unit.blocks) take(block, words);
  unit.ports.resize(topology.ports.size());
  for (memory::PortStats& port : unit.ports) take(port, words);
  unit.pe_cycles.resize(topology.pe_classes.size());
  for (std::int64_t& pe_cycles : unit.pe_cycles) pe_cycles = *words++;
  return unit;
}

}  // namespace weft::run
