#pragma once

#include <string>
#include <vector>

#include "platform/studies/sweep/expression.h"
#include "platform/studies/sweep/results.h"

namespace weft::tools {

// `where` says who gave the expression. Throws Error.
sweep::Expression expression_of(const std::string& text, const std::string& where);

// What a sweep holds against its rows: its constraints and its objectives.
class SweepJudge {
 public:
  // `where`: names the sweep in messages. `names` must outlive it. Throws Error.
  SweepJudge(const sweep::RowNames& names, const std::vector<std::string>& constraints,
             std::vector<sweep::Objective> objectives, const std::string& where);

  // Done, and within all constraints.
  bool feasible(const sweep::ResultRow& row) const;
  // NaN where the row has no value for it.
  std::vector<double> objectives(const sweep::ResultRow& row) const;
  // Which of the rows no other one of them beats.
  std::vector<bool> front(const std::vector<sweep::ResultRow>& rows) const;

 private:
  sweep::Lookup lookup(const sweep::ResultRow& row) const;

  const sweep::RowNames& names_;
  std::vector<sweep::Objective> objectives_;
  std::vector<sweep::Expression> constraints_, expressions_;
};

}  // namespace weft::tools
