#include "tools/sweep/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/error.h"

namespace weft::tools {

sweep::Expression expression_of(const std::string& text, const std::string& where) {
  try {
    return sweep::Expression(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
}

SweepJudge::SweepJudge(const sweep::RowNames& names, const std::vector<std::string>& constraints,
                       std::vector<sweep::Objective> objectives, const std::string& where)
    : names_(names), objectives_(std::move(objectives)) {
  for (const std::string& text : constraints) {
    constraints_.push_back(expression_of(text, where + ": a recorded constraint"));
  }
  for (const sweep::Objective& each : objectives_) expressions_.emplace_back(each.expression);
}

sweep::Lookup SweepJudge::lookup(const sweep::ResultRow& row) const {
  return [this, &row](const std::string& name) { return names_.value(row, name); };
}

bool SweepJudge::feasible(const sweep::ResultRow& row) const {
  return row.done && std::all_of(constraints_.begin(), constraints_.end(),
                                 [&](const sweep::Expression& each) { return each.holds(lookup(row)); });
}

std::vector<double> SweepJudge::objectives(const sweep::ResultRow& row) const {
  std::vector<double> values;
  for (const sweep::Expression& each : expressions_) values.push_back(each.number(lookup(row)));
  return values;
}

std::vector<bool> SweepJudge::front(const std::vector<sweep::ResultRow>& rows) const {
  std::vector<std::vector<double>> values;
  for (const sweep::ResultRow& row : rows) {
    values.push_back(objectives(row));
    for (std::size_t i = 0; i < objectives_.size(); ++i) {
      if (objectives_[i].maximize) values.back()[i] = -values.back()[i];
    }
  }
  return sweep::pareto_front(values);
}

}  // namespace weft::tools
