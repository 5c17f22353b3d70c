#include "platform/record/csv.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace weft::record {

namespace {

struct Cell {
  Column column;
  Value value;
};
using Cells = std::vector<Cell>;

// Collects the fields of a flat record; a record within it is a program error. `all`: absent fields, too.
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
  void flag(bool& value) override { add("BOOLEAN", std::int64_t{value}); }
  void any(Value& value) override { add("TEXT", value); }
  void one_of(const std::vector<std::string>& words, std::size_t& index) override { add("TEXT", words.at(index)); }
  void is(const char* kind) override { add("TEXT", std::string(kind)); }
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
  return cell_text(cell.column.type, cell.value);
}

}  // namespace

std::string cell_text(const std::string& type, const Value& value) {
  const auto* const flag = type == "BOOLEAN" ? std::get_if<std::int64_t>(&value) : nullptr;
  return flag ? *flag != 0 ? "true" : "false" : to_text(value);
}

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

int find_named_column(const std::vector<Column>& columns, const std::string& name) {
  struct Renamed {
    const char *before, *today;
  };
  // Renamed in 0.2 without a change of unit. 0.3 need not read them.
  static constexpr std::array<Renamed, 6> kRenamed{{{"seconds", "convolutions_seconds"},
                                                    {"hours_per_epoch", "epoch_hours"},
                                                    {"pcie_to_card", "bytes_to_card"},
                                                    {"pcie_to_host", "bytes_to_host"},
                                                    {"link_gbits", "link_gbits_per_second"},
                                                    {"gap", "pooled_gap"}}};
  int found = find_column(columns, name);
  for (const Renamed& each : kRenamed) {
    if (found < 0 && name == each.before) found = find_column(columns, each.today);
  }
  return found;
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
