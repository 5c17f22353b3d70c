#pragma once

#include <string>
#include <vector>

#include "platform/document/table_view.h"
#include "platform/record/record.h"

namespace weft::record {

// Returns a value of a column of this type as in CSV or in a table; a flag as true or false.
std::string cell_text(const std::string& type, const Value& value);

// Returns the columns of a record of numbers, texts and flags, in the order of fields(), and its value for each.
// `record` of columns(): one that was made by default.
std::vector<Column> columns(const Any& record);
std::vector<Value> values(const Any& record);
// Returns the index of the column, or -1.
int find_column(const std::vector<Column>& columns, const std::string& name);
// The same for a name from the user, which may be one of weft 0.1.
int find_named_column(const std::vector<Column>& columns, const std::string& name);

// Returns a line of CSV with its line break: values of a record of numbers, texts and flags, in the order of fields(),
// absent ones empty. Numbers are in fmt's shortest form; texts are as written by document's csv_field().
std::string csv_line(const Any& record);
// Only these fields of the record, in this order.
std::string csv_line(const Any& record, const std::vector<std::string>& columns);

// Returns the names of the record's fields: the first line of such a file.
std::string csv_head(const Any& record);

// Returns the first line and a line for each record.
template <class R>
std::string csv_text(const std::vector<R>& records) {
  std::string text = csv_head(R());
  for (const R& each : records) text += csv_line(each);
  return text;
}
// `head`: the first line, whose columns are names of fields.
template <class R>
std::string csv_text(const std::vector<R>& records, const std::string& head) {
  const std::vector<std::string> columns = report::columns_of(head);
  std::string text = head;
  for (const R& each : records) text += csv_line(each, columns);
  return text;
}

}  // namespace weft::record
