#include "platform/studies/sweep/definition/figures.h"

#include "platform/catalogue/designs.h"
#include "platform/iteration/timeline/result.h"
#include "platform/run/columns.h"

namespace weft::sweep {

namespace {

using Columns = std::vector<record::Column>;

template <class Of>
Columns described(const std::vector<run::Column<Of>>& columns) {
  Columns list;
  for (const run::Column<Of>& each : columns) list.push_back({each.name, each.type, each.unit, each.meaning});
  return list;
}

Columns joined(const std::vector<Columns>& lists) {
  Columns all;
  for (const Columns& list : lists) {
    for (const record::Column& each : list) {
      if (record::find_column(all, each.name) < 0) all.push_back(each);
    }
  }
  return all;
}

template <class Of>
std::vector<Value> values_of(const std::vector<run::Column<Of>>& columns, const Of& of) {
  std::vector<Value> values;
  for (const run::Column<Of>& each : columns) values.push_back(each.value(of));
  return values;
}

// Copies the values of some columns into a row of all columns.
class Placed {
 public:
  Placed(const Columns& columns, const Columns& some) : size_(columns.size()) {
    for (const record::Column& each : some) {
      places_.push_back(static_cast<std::size_t>(record::find_column(columns, each.name)));
    }
  }
  void fill(std::vector<Value>&& values, std::vector<Value>& row) const {
    row.resize(size_);
    for (std::size_t i = 0; i < values.size(); ++i) row[places_[i]] = std::move(values[i]);
  }

 private:
  std::vector<std::size_t> places_;
  std::size_t size_;
};

}  // namespace

const Columns& point_columns() {
  static const Columns columns =
      joined({described(run::whole_columns()),
              record::columns(timeline::IterationFigures()),
              record::columns(cluster::Figures()),
              {{kIterationError, "TEXT", "", "why the training iteration is not known, where there should be one"}}});
  return columns;
}

const Columns& convolution_columns() {
  static const Columns columns = [] {
    std::vector<Columns> lists;
    for (const design::Design* design : design::designs()) lists.push_back(described(run::row_columns(*design)));
    return joined(lists);
  }();
  return columns;
}

std::vector<Value> point_values(const run::Result& result, const PointIteration& of) {
  static const Placed of_run(point_columns(), described(run::whole_columns()));
  static const Placed of_iteration(point_columns(), record::columns(timeline::IterationFigures()));
  std::vector<Value> values;
  of_run.fill(values_of(run::whole_columns(), run::whole_of(result)), values);
  if (of.iteration) of_iteration.fill(record::values(timeline::figures_of(*of.iteration)), values);
  if (!of.error.empty()) values.back() = of.error;
  return values;
}

std::vector<Value> point_values(const cluster::Figures& figures) {
  static const Placed of_plan(point_columns(), record::columns(cluster::Figures()));
  std::vector<Value> values;
  of_plan.fill(record::values(figures), values);
  return values;
}

std::vector<std::vector<Value>> convolution_values(const run::Result& result) {
  const auto columns = run::row_columns(design::design_of(result.config));
  const Placed placed(convolution_columns(), described(columns));
  std::vector<std::vector<Value>> rows(result.rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    placed.fill(values_of(columns, run::row_of(result, result.rows[i])), rows[i]);
  }
  return rows;
}

}  // namespace weft::sweep
