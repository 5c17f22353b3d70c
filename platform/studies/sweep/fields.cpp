#include "platform/studies/sweep/fields.h"

#include <algorithm>

#include "platform/catalogue/designs.h"
#include "platform/iteration/timeline/columns.h"
#include "platform/run/columns.h"
#include "platform/studies/sweep/cluster_columns.h"

namespace weft::sweep {

namespace {

template <class Of>
void add_fields(const std::vector<run::Column<Of>>& columns, std::vector<Field>& fields) {
  for (const run::Column<Of>& column : columns) {
    if (find_field(fields, column.name) < 0) fields.push_back({column.name, column.type, column.unit, column.meaning});
  }
}

// The columns, and the place of each among `fields`.
template <class Of>
class Placed {
 public:
  Placed(const std::vector<Field>& fields, std::vector<run::Column<Of>> columns)
      : columns_(std::move(columns)), size_(fields.size()) {
    places_.reserve(columns_.size());
    for (const run::Column<Of>& column : columns_) {
      places_.push_back(static_cast<std::size_t>(find_field(fields, column.name)));
    }
  }

  std::vector<Value> values(const Of& of) const {
    std::vector<Value> values(size_);
    fill(of, values);
    return values;
  }
  void fill(const Of& of, std::vector<Value>& values) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) values[places_[i]] = columns_[i].value(of);
  }

 private:
  std::vector<run::Column<Of>> columns_;
  std::vector<std::size_t> places_;
  std::size_t size_;
};

std::vector<Field> list_convolution_fields() {
  std::vector<Field> fields;
  for (const design::Design* design : design::designs()) add_fields(run::row_columns(*design), fields);
  return fields;
}

}  // namespace

const std::vector<Field>& point_fields() {
  static const std::vector<Field> fields = [] {
    std::vector<Field> list;
    add_fields(run::whole_columns(), list);
    add_fields(timeline::iteration_columns(), list);
    add_fields(cluster_columns(), list);
    list.push_back({kIterationError, "TEXT", "", "why the training iteration is not known, where there should be one"});
    return list;
  }();
  return fields;
}

const std::vector<Field>& convolution_fields() {
  static const std::vector<Field> fields = list_convolution_fields();
  return fields;
}

std::vector<Value> point_values(const run::Result& result, const PointIteration& of) {
  std::vector<Value> values(point_fields().size());
  Placed<run::WholeOf>(point_fields(), run::whole_columns()).fill(run::whole_of(result), values);
  if (of.iteration) {
    Placed<timeline::TrainingIteration>(point_fields(), timeline::iteration_columns()).fill(*of.iteration, values);
  }
  if (!of.error.empty()) values[static_cast<std::size_t>(find_field(point_fields(), kIterationError))] = of.error;
  return values;
}

std::vector<Value> point_values(const cluster::Figures& figures) {
  return Placed<cluster::Figures>(point_fields(), cluster_columns()).values(figures);
}

std::vector<std::vector<Value>> convolution_values(const run::Result& result) {
  const Placed<run::RowRecord> placed(convolution_fields(), run::row_columns(design::design_of(result.config)));
  std::vector<std::vector<Value>> rows;
  rows.reserve(result.rows.size());
  for (const run::Row& row : result.rows) rows.push_back(placed.values(run::row_of(result, row)));
  return rows;
}

int find_field(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

}  // namespace weft::sweep
