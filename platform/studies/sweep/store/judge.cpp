#include "platform/studies/sweep/store/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/core/error.h"

namespace weft::sweep {

Expression expression_of(const std::string& text, const std::string& where) {
  try {
    return Expression(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
}

Judge::Judge(const RowNames& names, const std::vector<std::string>& constraints, std::vector<Objective> objectives,
             const std::string& where)
    : names_(names), objectives_(std::move(objectives)) {
  for (const std::string& text : constraints) {
    constraints_.push_back(expression_of(text, where + ": a recorded constraint"));
  }
  for (const Objective& each : objectives_) expressions_.emplace_back(each.expression);
}

Lookup Judge::lookup(const ResultRow& row) const {
  return [this, &row](const std::string& name) { return names_.value(row, name); };
}

bool Judge::feasible(const ResultRow& row) const {
  return row.done && std::all_of(constraints_.begin(), constraints_.end(),
                                 [&](const Expression& each) { return each.holds(lookup(row)); });
}

std::vector<double> Judge::objectives(const ResultRow& row) const {
  std::vector<double> values;
  for (const Expression& each : expressions_) values.push_back(each.number(lookup(row)));
  return values;
}

std::vector<double> Judge::costs(const ResultRow& row) const {
  std::vector<double> values = objectives(row);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (objectives_[i].maximize) values[i] = -values[i];
  }
  return values;
}

std::vector<bool> Judge::front(const std::vector<ResultRow>& rows) const {
  std::map<Value, std::vector<std::size_t>> rungs;  // rows of each
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rungs[names_.swept("rung") ? names_.value(rows[i], "rung") : Value()].push_back(i);
  }
  std::vector<bool> on_front(rows.size(), false);
  for (const auto& [rung, of_rung] : rungs) {
    std::vector<std::vector<double>> values;
    for (const std::size_t i : of_rung) values.push_back(costs(rows[i]));
    const std::vector<bool> front = pareto_front(values);
    for (std::size_t i = 0; i < of_rung.size(); ++i) on_front[of_rung[i]] = front[i];
  }
  return on_front;
}

std::vector<bool> pareto_front(const std::vector<std::vector<double>>& rows) {
  std::vector<bool> on_front(rows.size(), false);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::none_of(rows[i].begin(), rows[i].end(), [](double value) { return std::isnan(value); }))
      order.push_back(i);
  }
  // In lexicographic order no row is dominated by a later one.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  std::vector<std::size_t> front;
  for (const std::size_t candidate : order) {
    const auto beats = [&](std::size_t other) {
      return rows[other] != rows[candidate] &&
             std::equal(rows[other].begin(), rows[other].end(), rows[candidate].begin(),
                        [](double a, double b) { return a <= b; });
    };
    if (std::any_of(front.begin(), front.end(), beats)) continue;
    front.push_back(candidate);
    on_front[candidate] = true;
  }
  return on_front;
}

}  // namespace weft::sweep
