#pragma once

#include <string>
#include <vector>

#include "platform/studies/sweep/definition/expression.h"
#include "platform/studies/sweep/store/results.h"

namespace weft::sweep {

// `where`: source of the expression, for messages. Throws Error.
Expression expression_of(const std::string& text, const std::string& where);

// Constraints and objectives of a sweep.
class Judge {
 public:
  // `where`: name of the sweep in messages. `names` must outlive this object. Throws Error.
  Judge(const RowNames& names, const std::vector<std::string>& constraints, std::vector<Objective> objectives,
        const std::string& where);

  // True if the row is done and meets all constraints.
  bool feasible(const ResultRow& row) const;
  // NaN for a missing value.
  std::vector<double> objectives(const ResultRow& row) const;
  std::vector<double> costs(const ResultRow& row) const;  // objectives() with signs such that less is better
  // True for each row that no other row of its rung dominates.
  std::vector<bool> front(const std::vector<ResultRow>& rows) const;

 private:
  Lookup lookup(const ResultRow& row) const;

  const RowNames& names_;
  std::vector<Objective> objectives_;
  std::vector<Expression> constraints_, expressions_;
};

// True for each row on the Pareto front. rows[i]: objectives of row i, all minimised; a row with a NaN is not on the
// front. All of equal rows are.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& rows);

}  // namespace weft::sweep
