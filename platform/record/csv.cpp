#include "platform/record/csv.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "platform/document/text.h"

namespace weft::record {

namespace {

struct Cell {
  Column column;
  Value value;
  bool flag = false;
};
using Cells = std::vector<Cell>;

// The fields of a flat record. A record in it is a fault of the program. `all`: those that are absent, too.
class FlatWriter final : public Visitor {
 public:
  FlatWriter(Cells& cells, bool all) : cells_(cells), all_(all) {}

 protected:
  void field(const Field& field) override { cells_.push_back({{field.name, "", field.unit, field.meaning}, {}}); }
  bool optional(bool present) override { return all_ || present; }
  bool null(bool is_null) override { return !all_ && is_null; }
  bool record_instead(bool is_record) override { return is_record; }
  void integer(std::int64_t& value, std::int64_t, std::int64_t) override { add("INTEGER", value); }
  void real(double& value) override { add("REAL", value); }
  void text(std::string& value) override { add("TEXT", value); }
  void flag(bool& value) override {
    add("INTEGER", std::int64_t{value});
    cells_.back().flag = true;
  }
  void any(Value& value) override { add("TEXT", value); }
  void one_of(const std::vector<std::string>& words, std::size_t& index) override { add("TEXT", words.at(index)); }
  void form(int current) override { add("INTEGER", std::int64_t{current}); }
  void begin() override { nested(); }
  void end() override {}
  std::size_t begin_list(std::size_t, const Field&) override { nested(); }
  void item(std::size_t) override {}
  void end_list() override {}
  std::size_t begin_named(std::size_t size, const Field&) override { return size; }
  void key(std::size_t, std::string& name) override { field({name.c_str(), "", ""}); }

 private:
  void add(const char* type, const Value& value) {
    cells_.back().column.type = type;
    cells_.back().value = value;
  }
  [[noreturn]] static void nested() { throw std::logic_error("a row of a table has a record in it"); }

  Cells& cells_;
  bool all_;
};

Cells cells_of(const Any& record, bool all = false) {
  Cells cells;
  FlatWriter writer(cells, all);
  record.visit(writer);
  return cells;
}

template <class Text>
std::string line(const Cells& cells, Text text_of) {
  std::string text;
  for (const Cell& cell : cells) text += (&cell == &cells.front() ? "" : ",") + report::csv_field(text_of(cell));
  return text + "\n";
}

std::string value_text(const Cell& cell) {
  return cell.flag ? std::get<std::int64_t>(cell.value) ? "true" : "false" : to_text(cell.value);
}

}  // namespace

std::vector<Column> columns(const Any& record) {
  std::vector<Column> columns;
  for (Cell& cell : cells_of(record, true)) columns.push_back(std::move(cell.column));
  return columns;
}

std::vector<Value> values(const Any& record) {
  std::vector<Value> values;
  for (Cell& cell : cells_of(record)) values.push_back(std::move(cell.value));
  return values;
}

int find_column(const std::vector<Column>& columns, const std::string& name) {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& each) { return each.name == name; });
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

std::string csv_line(const Any& record) {
  return line(cells_of(record), value_text);
}

std::string csv_line(const Any& record, const std::vector<std::string>& columns) {
  const Cells all = cells_of(record);
  Cells chosen;
  for (const std::string& name : columns) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Cell& cell) { return cell.column.name == name; });
    if (found == all.end()) throw std::logic_error("a record has no column " + name);
    chosen.push_back(*found);
  }
  return line(chosen, value_text);
}

std::string csv_head(const Any& record) {
  return line(cells_of(record), [](const Cell& cell) { return cell.column.name; });
}

}  // namespace weft::record
