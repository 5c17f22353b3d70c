#include "platform/sweep/fields.h"

#include <algorithm>

#include "platform/design/designs.h"
#include "platform/run/columns.h"

namespace weft::sweep {

namespace {

template <class Of>
void add_fields(const std::vector<run::Column<Of>>& columns, std::vector<Field>& fields) {
  for (const run::Column<Of>& column : columns) {
    if (find_field(fields, column.name) < 0) fields.push_back({column.name, column.type, column.meaning});
  }
}

template <class Of>
std::vector<Value> values_of(const std::vector<Field>& fields, const std::vector<run::Column<Of>>& columns,
                             const Of& of) {
  std::vector<Value> values(fields.size());
  for (const run::Column<Of>& column : columns) {
    values[static_cast<std::size_t>(find_field(fields, column.name))] = column.value(of);
  }
  return values;
}

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
    return list;
  }();
  return fields;
}

const std::vector<Field>& convolution_fields() {
  static const std::vector<Field> fields = list_convolution_fields();
  return fields;
}

std::vector<Value> point_values(const run::Result& result) {
  return values_of(point_fields(), run::whole_columns(), run::whole_of(result));
}

std::vector<Value> convolution_values(const run::Result& result, const run::Row& row) {
  return values_of(convolution_fields(), run::row_columns(design::design_of(result.config)), run::row_of(result, row));
}

int find_field(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

}  // namespace weft::sweep
