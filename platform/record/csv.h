#pragma once

#include <string>
#include <vector>

#include "platform/document/table_view.h"
#include "platform/record/record.h"

namespace weft::record {

// A value of a column of this type, as a line of CSV or a table has it; of a flag true or false.
std::string cell_text(const std::string& type, const Value& value);

// The columns of a record of numbers, texts and flags, in the order of fields(), and its value for each. `record`: for
// columns() one that was made by default.
std::vector<Column> columns(const Any& record);
std::vector<Value> values(const Any& record);
// Index of the column, or -1.
int find_column(const std::vector<Column>& columns, const std::string& name);
// The same for a name that a user wrote: the names of weft 0.1 are read, too.
int find_named_column(const std::vector<Column>& columns, const std::string& name);

// A line of CSV: the values of a record of numbers, texts and flags, in the order of fields(), with its line break.
// What is absent is empty. Numbers as fmt prints them, shortest form; texts as document's csv_field() writes them.
std::string csv_line(const Any& record);
// These fields of it alone, in this order.
std::string csv_line(const Any& record, const std::vector<std::string>& columns);

// The names of its fields, the first line of such a file.
std::string csv_head(const Any& record);

// Both of a list of records.
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
