#include "model/fpgpt/dse/set_cover.h"

#include <fmt/core.h>
#include <z3++.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "model/core/error.h"

namespace weft::fpgpt::dse {

namespace {

using Ids = std::set<std::size_t>;

// The rows and columns that are still to be decided, each with what it meets on the other side.
class Instance {
 public:
  Instance(std::size_t rows, const std::vector<std::vector<std::size_t>>& columns) {
    for (std::size_t row = 0; row < rows; ++row) rows_[row] = {};
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (columns[column].empty()) continue;
      columns_[column] = Ids(columns[column].begin(), columns[column].end());
      for (const std::size_t row : columns[column]) rows_.at(row).insert(column);
    }
    for (const auto& [row, covers] : rows_) {
      if (covers.empty()) throw Error(fmt::format("row {} of the set cover is in no column", row));
    }
  }

  // Applies the reductions until none does anything; columns that must be taken go to `taken`.
  void reduce(std::vector<std::size_t>& taken) {
    while (take_forced(taken) || drop_rows() || drop_columns()) {
    }
  }

  // Rows that share no column, directly or through others, are problems of their own.
  std::vector<Ids> components() const {
    std::vector<Ids> found;
    Ids seen;
    for (const auto& [first, covers] : rows_) {
      if (seen.count(first) != 0) continue;
      Ids component;
      std::vector<std::size_t> open{first};
      while (!open.empty()) {
        const std::size_t row = open.back();
        open.pop_back();
        if (!component.insert(row).second) continue;
        for (const std::size_t column : rows_.at(row)) {
          for (const std::size_t next : columns_.at(column)) open.push_back(next);
        }
      }
      seen.insert(component.begin(), component.end());
      found.push_back(std::move(component));
    }
    return found;
  }

  const Ids& columns_of(std::size_t row) const { return rows_.at(row); }
  const Ids& rows_of(std::size_t column) const { return columns_.at(column); }

 private:
  void remove_row(std::size_t row) {
    for (const std::size_t column : rows_.at(row)) {
      columns_.at(column).erase(row);
      if (columns_.at(column).empty()) columns_.erase(column);
    }
    rows_.erase(row);
  }
  void remove_column(std::size_t column) {
    for (const std::size_t row : columns_.at(column)) rows_.at(row).erase(column);
    columns_.erase(column);
  }

  bool take_forced(std::vector<std::size_t>& taken) {
    for (const auto& [row, covers] : rows_) {
      if (covers.size() != 1) continue;
      const std::size_t column = *covers.begin();
      taken.push_back(column);
      const Ids covered = columns_.at(column);
      for (const std::size_t each : covered) remove_row(each);
      return true;
    }
    return false;
  }

  // Whoever covers `row` covers `other` as well.
  bool drop_rows() {
    for (const auto& [row, covers] : rows_) {
      for (const std::size_t other : columns_.at(*covers.begin())) {
        const Ids& theirs = rows_.at(other);
        if (other == row) continue;
        if (!std::includes(theirs.begin(), theirs.end(), covers.begin(), covers.end())) continue;
        remove_row(other);
        return true;
      }
    }
    return false;
  }

  bool drop_columns() {
    for (const auto& [column, covered] : columns_) {
      // A larger column covers any one of this column's rows: ask the row that has the fewest.
      const std::size_t row = *std::min_element(covered.begin(), covered.end(), [&](std::size_t a, std::size_t b) {
        return rows_.at(a).size() < rows_.at(b).size();
      });
      for (const std::size_t other : rows_.at(row)) {
        const Ids& theirs = columns_.at(other);
        if (other == column) continue;
        if (!std::includes(theirs.begin(), theirs.end(), covered.begin(), covered.end())) continue;
        remove_column(column);
        return true;
      }
    }
    return false;
  }

  std::map<std::size_t, Ids> rows_, columns_;
};

// Always the column that covers most of what is left.
std::vector<std::size_t> greedy(const Instance& instance, const Ids& rows) {
  Ids left = rows;
  Ids candidates;
  for (const std::size_t row : rows)
    candidates.insert(instance.columns_of(row).begin(), instance.columns_of(row).end());
  std::vector<std::size_t> taken;
  while (!left.empty()) {
    std::size_t best = 0;
    std::ptrdiff_t most = 0;
    for (const std::size_t column : candidates) {
      const Ids& covered = instance.rows_of(column);
      const auto count =
          std::count_if(covered.begin(), covered.end(), [&](std::size_t row) { return left.count(row); });
      if (count > most) {
        most = count;
        best = column;
      }
    }
    taken.push_back(best);
    for (const std::size_t row : instance.rows_of(best)) left.erase(row);
  }
  return taken;
}

// Rows of which no two share a column need a column each.
std::int64_t independent_rows(const Instance& instance, const Ids& rows) {
  std::vector<std::size_t> order(rows.begin(), rows.end());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return instance.columns_of(a).size() < instance.columns_of(b).size();
  });
  Ids used;
  std::int64_t count = 0;
  for (const std::size_t row : order) {
    const Ids& columns = instance.columns_of(row);
    if (std::any_of(columns.begin(), columns.end(), [&](std::size_t column) { return used.count(column) != 0; })) {
      continue;
    }
    used.insert(columns.begin(), columns.end());
    ++count;
  }
  return count;
}

enum class Answer { Yes, No, Unknown };

// Whether `most` columns cover the rows, and which.
class Solver {
 public:
  Solver(const Instance& instance, const Ids& rows, unsigned effort) : solver_(context_, "QF_FD") {
    for (const std::size_t row : rows) {
      for (const std::size_t column : instance.columns_of(row)) {
        if (variables_.count(column) == 0) {
          variables_.emplace(column, context_.bool_const(fmt::format("c{}", column).c_str()));
        }
      }
    }
    z3::params params(context_);
    params.set("rlimit", effort);
    solver_.set(params);
    for (const std::size_t row : rows) {
      z3::expr_vector any(context_);
      for (const std::size_t column : instance.columns_of(row)) any.push_back(variables_.at(column));
      solver_.add(z3::mk_or(any));
    }
  }

  Answer at_most(std::int64_t most, std::vector<std::size_t>& chosen) {
    z3::expr_vector all(context_);
    for (const auto& [column, variable] : variables_) all.push_back(variable);
    solver_.push();
    solver_.add(z3::atmost(all, static_cast<unsigned>(most)));
    const z3::check_result result = solver_.check();
    if (result == z3::sat) {
      chosen.clear();
      const z3::model model = solver_.get_model();
      for (const auto& [column, variable] : variables_) {
        if (model.eval(variable, true).is_true()) chosen.push_back(column);
      }
    }
    solver_.pop();
    return result == z3::sat ? Answer::Yes : result == z3::unsat ? Answer::No : Answer::Unknown;
  }

 private:
  z3::context context_;
  std::map<std::size_t, z3::expr> variables_;
  z3::solver solver_;
};

void solve(const Instance& instance, const Ids& rows, unsigned effort, SetCover& cover) {
  std::vector<std::size_t> best = greedy(instance, rows);
  std::int64_t at_least = independent_rows(instance, rows);
  if (static_cast<std::int64_t>(best.size()) > at_least) {
    Solver solver(instance, rows, effort);
    while (static_cast<std::int64_t>(best.size()) > at_least) {
      const Answer answer = solver.at_most(static_cast<std::int64_t>(best.size()) - 1, best);
      if (answer == Answer::No) at_least = static_cast<std::int64_t>(best.size());
      if (answer == Answer::Unknown) break;
    }
  }
  cover.columns.insert(cover.columns.end(), best.begin(), best.end());
  cover.at_least += at_least;
}

}  // namespace

SetCover minimum_set_cover(std::size_t rows, const std::vector<std::vector<std::size_t>>& columns, unsigned effort) {
  Instance instance(rows, columns);
  SetCover cover;
  instance.reduce(cover.columns);
  cover.at_least = static_cast<std::int64_t>(cover.columns.size());
  for (const Ids& component : instance.components()) solve(instance, component, effort, cover);
  std::sort(cover.columns.begin(), cover.columns.end());
  return cover;
}

}  // namespace weft::fpgpt::dse
