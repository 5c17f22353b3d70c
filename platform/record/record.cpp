#include "platform/record/record.h"

namespace weft::record {

template <class T>
void Visitor::cell_of(const Column& column, Value& value) {
  using Stored = std::conditional_t<std::is_same_v<T, bool>, std::int64_t, T>;
  std::optional<T> known;
  if (const Stored* const of_type = std::get_if<Stored>(&value)) known = *of_type;
  nullable(column.name.c_str(), column.unit.c_str(), column.meaning.c_str(), known);
  value = known ? Value(Stored{*known}) : Value();
}
void Visitor::cell(const Column& column, Value& value) {
  if (column.type == "INTEGER") return cell_of<std::int64_t>(column, value);
  if (column.type == "REAL") return cell_of<double>(column, value);
  if (column.type == "TEXT") return cell_of<std::string>(column, value);
  if (column.type == "BOOLEAN") return cell_of<bool>(column, value);
  (*this)(column.name.c_str(), column.unit.c_str(), column.meaning.c_str(), value);
}

}  // namespace weft::record
