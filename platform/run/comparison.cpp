#include "platform/run/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <tuple>

namespace weft::run {

namespace {

using Key = std::tuple<bool, std::string, conv::Kind>;

Key key_of(const Row& row) {
  return {row.fully_connected, row.layer.name, row.kind};
}

// What says which run it is and where its result goes, not what it simulates.
config::Node compared(config::Node node) {
  for (const char* key : {"name", "title", "output", "workers", "published"}) node.erase(key);
  return node;
}

}  // namespace

std::size_t Comparison::changed_limiters() const {
  return static_cast<std::size_t>(
      std::count_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return !pair.same_limiter(); }));
}

std::vector<config::Difference> differing_keys(const config::RunConfig& a, const config::RunConfig& b) {
  return differing_keys(config::write_run(a), config::write_run(b));
}

std::vector<config::Difference> differing_keys(const config::Node& a, const config::Node& b) {
  return config::differences(compared(a), compared(b));
}

Comparison compare(const Result& a, const Result& b) {
  Comparison comparison;
  comparison.keys = differing_keys(a.config, b.config);
  comparison.same_clock = a.config.kernel->clock == b.config.kernel->clock;
  std::map<Key, const Row*> others;
  for (const Row& row : b.rows) others.emplace(key_of(row), &row);
  for (const Row& row : a.rows) {
    const auto found = others.find(key_of(row));
    if (found == others.end()) {
      comparison.only_a.push_back(&row);
      continue;
    }
    comparison.pairs.push_back({&row, found->second});
    others.erase(found);
  }
  for (const Row& row : b.rows) {
    if (others.count(key_of(row)) != 0) comparison.only_b.push_back(&row);
  }
  std::stable_sort(comparison.pairs.begin(), comparison.pairs.end(),
                   [](const Pair& x, const Pair& y) { return std::abs(x.moved()) > std::abs(y.moved()); });
  return comparison;
}

std::vector<Total> totals(const Result& a, const Result& b) {
  const std::map<conv::Kind, Sum> of_a = sums_by_kind(a), of_b = sums_by_kind(b);
  std::vector<Total> totals;
  for (const conv::Kind kind : config::all_kinds()) {
    const auto in_a = of_a.find(kind), in_b = of_b.find(kind);
    if (in_a == of_a.end() && in_b == of_b.end()) continue;
    totals.push_back({std::string("all ") + conv::to_string(kind), in_a == of_a.end() ? Sum{} : in_a->second,
                      in_b == of_b.end() ? Sum{} : in_b->second});
  }
  totals.push_back({"network", sum_of(a), sum_of(b)});
  return totals;
}

double change(double a, double b) {
  if (a == b) return 0;
  return a == 0 ? 1 : (b - a) / a;
}

double largest_change(const Comparison& comparison, const Result& a, const Result& b) {
  if (!comparison.only_a.empty() || !comparison.only_b.empty()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  const auto consider = [&](Cycles before, Cycles after) {
    largest = std::max(largest, std::abs(change(static_cast<double>(before), static_cast<double>(after))));
  };
  for (const Pair& pair : comparison.pairs) consider(pair.a->cycles, pair.b->cycles);
  const std::map<conv::Kind, Sum> before = sums_by_kind(a), after = sums_by_kind(b);
  for (const auto& [kind, sum] : before) consider(sum.cycles, after.at(kind).cycles);
  consider(sum_of(a).cycles, sum_of(b).cycles);
  return largest;
}

}  // namespace weft::run
