#include "platform/iteration/host/price.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "model/core/error.h"

namespace weft::host {

namespace {

using config::Host;
using config::MeasuredOperator;
using workloads::Direction;
using workloads::Graph;
using workloads::Operator;
using workloads::OperatorClass;

// GCC's 128-bit integer; -Wpedantic rejects it without __extension__. All products here stay below 2^127.
__extension__ using Wide = unsigned __int128;

constexpr Picoseconds kMostPs = Picoseconds{100} * 24 * 3600 * 1'000'000'000'000;  // below 2^63

Picoseconds rounded_up(Wide numerator, Wide denominator, const Operator& op) {
  const Wide ps = numerator / denominator + (numerator % denominator == 0 ? 0 : 1);
  if (ps > static_cast<Wide>(kMostPs)) {
    throw Error(fmt::format("operator '{}' takes more than 100 days on the host", workloads::label(op)));
  }
  return static_cast<Picoseconds>(ps);
}

// The time of `work` at a share of `per_second`, as a fraction in picoseconds: numerator below 2^63 x 2^60, denominator
// below 2^50 x 2^20.
struct Term {
  Wide numerator, denominator;
};
Term term(std::int64_t work, std::int64_t per_second, std::int64_t ppm) {
  constexpr Wide kPsPerSecond = 1'000'000'000'000;
  return {static_cast<Wide>(work) * kPsPerSecond * static_cast<Wide>(config::kPpm),
          static_cast<Wide>(per_second) * static_cast<Wide>(ppm)};
}

Price of_class(const Host& host, const Operator& op, OperatorClass kind) {
  if (kind == OperatorClass::View) return {};
  const config::OperatorCost& cost = host.cost(kind);
  const Term compute = term(op.flops, host.peak_flops_per_s, cost.compute_ppm);
  const Term memory = term(op.bytes_read + op.bytes_written, host.memory_bytes_per_s, cost.memory_ppm);
  // Rounding up keeps the order and the fixed time is whole, so the sum is rounded once.
  const Picoseconds by_compute = rounded_up(compute.numerator, compute.denominator, op);
  const Picoseconds by_memory = rounded_up(memory.numerator, memory.denominator, op);
  Price price;
  price.time = std::max(by_compute, by_memory) + cost.fixed_ps;
  price.basis = by_compute > by_memory ? Basis::Compute : Basis::Memory;
  return price;
}

using Key = std::pair<std::string, Direction>;

// Measured entries of the graph's operators, by label, direction and occurrence.
using Entries = std::map<std::pair<Key, int>, std::vector<const MeasuredOperator*>>;

Entries entries_of(const Host& host, const Graph& graph) {
  Entries entries;
  for (const MeasuredOperator& each : host.measured) {
    if (each.network == graph.name) entries[{{each.op, each.direction}, each.occurrence}].push_back(&each);
  }
  return entries;
}

// Returns the entry of the graph's batch, else that of the nearest batch by ratio; of two equally near ones the larger.
const MeasuredOperator& nearest(const std::vector<const MeasuredOperator*>& entries, std::int64_t batch) {
  const auto nearer = [&](const MeasuredOperator* a, const MeasuredOperator* b) {
    // Compares max(a, batch) / min(a, batch) with the same of b; batches are below 2^31.
    const std::int64_t a_batch = a->batch, b_batch = b->batch;
    const std::int64_t left = std::max(a_batch, batch) * std::min(b_batch, batch);
    const std::int64_t right = std::max(b_batch, batch) * std::min(a_batch, batch);
    return left != right ? left < right : a_batch > b_batch;
  };
  return **std::min_element(entries.begin(), entries.end(), nearer);
}

Price as_measured(const Host& host, const MeasuredOperator& entry, const Graph& graph, const Operator& op) {
  Price price;
  price.entry = static_cast<std::size_t>(&entry - host.measured.data());
  const bool same = entry.batch == graph.batch;
  price.basis = same ? Basis::Measured : Basis::MeasuredAtOther;
  price.kernel = entry.kernel;
  price.plain_loop = entry.plain_loop;
  const bool of_batch = !same && op.direction != Direction::Update;
  const Wide images = of_batch ? static_cast<Wide>(graph.batch) : 1;
  price.time =
      rounded_up(static_cast<Wide>(entry.ns) * 1000 * images, of_batch ? static_cast<Wide>(entry.batch) : 1, op);
  return price;
}

}  // namespace

const char* to_string(Basis basis) {
  constexpr std::array<const char*, 6> kNames{"nothing", "compute", "memory", "measured", "measured at another batch",
                                              "bytes"};
  return kNames.at(static_cast<std::size_t>(basis));
}

Price roofline(const Host& host, const Operator& op) {
  return of_class(host, op, workloads::class_of(op));
}

Picoseconds copy_time(const config::Host& host, Bytes bytes) {
  Operator copy;
  copy.name = "copy into another order";
  copy.what = workloads::CopyOp{};
  copy.bytes_read = copy.bytes_written = bytes;
  return roofline(host, copy).time;
}

std::vector<int> occurrences(const Graph& graph) {
  std::map<Key, int> seen;
  std::vector<int> result;
  for (const Operator& op : graph.operators) result.push_back(seen[{workloads::label(op), op.direction}]++);
  return result;
}

std::vector<Price> prices(const Host& host, const Graph& graph, config::UnknownOperators unknown) {
  if (unknown == config::UnknownOperators::Refuse) workloads::require_known(graph);
  const std::string unsized = workloads::without_price(graph, true);
  if (!unsized.empty()) {
    throw Error(
        fmt::format("{}: the bytes are not known of {}", graph.file.empty() ? graph.name : graph.file, unsized));
  }
  const Entries entries = entries_of(host, graph);
  const std::vector<int> places = entries.empty() ? std::vector<int>() : occurrences(graph);
  std::vector<Price> result;
  result.reserve(graph.operators.size());
  for (std::size_t id = 0; id < graph.operators.size(); ++id) {
    const Operator& op = graph.operators[id];
    const auto found =
        entries.empty() ? entries.end() : entries.find({{workloads::label(op), op.direction}, places[id]});
    if (found != entries.end() && workloads::class_of(op) != OperatorClass::View) {
      result.push_back(as_measured(host, nearest(found->second, graph.batch), graph, op));
    } else if (!op.problem.empty()) {
      result.push_back(of_class(host, op, OperatorClass::Unknown));
      result.back().basis = Basis::Bytes;
    } else {
      result.push_back(roofline(host, op));
    }
  }
  return result;
}

Bytes im2col_bytes(const workloads::ConvolutionOp& op, int word_bytes) {
  const conv::Layer& l = op.layer;
  constexpr const char* kWhat = "the bytes that im2col writes for a layer";
  const std::int64_t window = checked::product(kWhat, {l.h.kernel, l.w.kernel, l.batch, word_bytes});
  if (conv::computed_as(l, op.kind) == conv::Kind::GI)
    return checked::product(kWhat, {window, l.filters, l.h.size, l.w.size});
  return checked::product(kWhat, {window, l.channels, l.h.out(), l.w.out()});
}

Comparison compare(const config::Host& host, const config::PublishedRate& rate, const workloads::Graph& graph) {
  const std::vector<Price> price = prices(host, graph, config::UnknownOperators::ByBytes);
  double operations = 0, im2col = 0, picoseconds = 0;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const workloads::Operator& op = graph.operators[i];
    if (const auto* conv = std::get_if<workloads::ConvolutionOp>(&op.what)) {
      operations += static_cast<double>(op.flops);
      im2col += static_cast<double>(im2col_bytes(*conv, graph.word_bytes));
    } else {
      picoseconds += static_cast<double>(price[i].time);
    }
  }
  const auto seconds = [&](std::int64_t milli_gops) { return operations / (static_cast<double>(milli_gops) * 1e6); };
  const double convolutions = seconds(rate.convolutions);
  Comparison result;
  result.host_published = seconds(rate.average) - convolutions;
  result.host_model = picoseconds / 1e12;
  result.im2col_published = im2col / (seconds(rate.cpu_im2col) - convolutions);
  result.im2col_model = static_cast<double>(host.im2col_bytes_per_s);
  result.gbytes_im2col = im2col / 1e9;
  return result;
}

}  // namespace weft::host
