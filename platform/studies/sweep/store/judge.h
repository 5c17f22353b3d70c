#pragma once

#include <string>
#include <vector>

#include "platform/studies/sweep/definition/expression.h"
#include "platform/studies/sweep/store/results.h"

namespace weft::sweep {

// `where` says who gave the expression. Throws Error.
Expression expression_of(const std::string& text, const std::string& where);

// What a sweep holds against its rows: its constraints and its objectives.
class Judge {
 public:
  // `where`: names the sweep in messages. `names` must outlive it. Throws Error.
  Judge(const RowNames& names, const std::vector<std::string>& constraints, std::vector<Objective> objectives,
        const std::string& where);

  // Done, and within all constraints.
  bool feasible(const ResultRow& row) const;
  // NaN where the row has no value for it.
  std::vector<double> objectives(const ResultRow& row) const;
  std::vector<double> costs(const ResultRow& row) const;  // the same, each the less, the better
  // Which of the rows no other one of them beats.
  std::vector<bool> front(const std::vector<ResultRow>& rows) const;

 private:
  Lookup lookup(const ResultRow& row) const;

  const RowNames& names_;
  std::vector<Objective> objectives_;
  std::vector<Expression> constraints_, expressions_;
};

// Which rows no other row beats: rows[i] holds the objectives of row i, all to be minimised; a row without a value for
// one (NaN) is on no front. Equal rows are all on it.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& rows);

}  // namespace weft::sweep
