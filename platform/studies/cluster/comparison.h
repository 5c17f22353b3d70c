#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/config/difference.h"
#include "platform/record/record.h"
#include "platform/studies/cluster/results.h"

namespace weft::cluster {

// A figure of two plans; nothing where a plan has none.
struct ComparedFigure {
  std::string figure, unit;
  std::optional<double> a, b;
  std::optional<double> change;  // B / A - 1; nothing if either is missing, or A is 0
};
void fields(record::Visitor& io, ComparedFigure& figure);

// Comparison of two saved plans of one design.
struct PlanComparison {
  std::string weft_version = record::weft_version();
  std::string a, b;  // names of the two results
  std::vector<config::Difference> keys;
  std::vector<ComparedFigure> figures;  // those of A in their order, then those that only B has

  double largest_change() const;  // infinite if a figure is missing in A or in B, or is 0 in A alone
};
void fields(record::Visitor& io, PlanComparison& comparison);

// Compares two plans; fills all but names and keys.
PlanComparison compare(const NadaResult& a, const NadaResult& b);
PlanComparison compare(const ArrayResult& a, const ArrayResult& b);

}  // namespace weft::cluster
