#include "platform/record/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "platform/document/text.h"

namespace weft::record {

namespace {

using Cells = std::vector<std::pair<std::string, std::string>>;  // names and values

// The fields of a flat record. A record in it is a fault of the program.
class CsvWriter final : public Visitor {
 public:
  explicit CsvWriter(Cells& cells) : cells_(cells) {}

 protected:
  void field(const Field& field) override { cells_.emplace_back(field.name, ""); }
  bool optional(bool present) override { return present; }
  bool null(bool is_null) override { return is_null; }
  bool record_instead(bool is_record) override { return is_record; }
  void integer(std::int64_t& value, std::int64_t, std::int64_t) override { add(value); }
  void real(double& value) override { add(value); }
  void text(std::string& value) override { add(report::csv_field(value)); }
  void flag(bool& value) override { add(value); }
  void any(Value& value) override {
    if (auto* const as_text = std::get_if<std::string>(&value)) return text(*as_text);
    add(to_text(value));
  }
  void one_of(const std::vector<std::string>& words, std::size_t& index) override { add(words.at(index)); }
  void form(int current) override { add(current); }
  void begin() override { nested(); }
  void end() override {}
  std::size_t begin_list(std::size_t, const Field&) override { nested(); }
  void item(std::size_t) override {}
  void end_list() override {}
  std::size_t begin_named(std::size_t size, const Field&) override { return size; }
  void key(std::size_t, std::string& name) override { field({name.c_str(), "", ""}); }

 private:
  template <class T>
  void add(const T& value) {
    cells_.back().second = fmt::format("{}", value);
  }
  [[noreturn]] static void nested() { throw std::logic_error("a line of CSV has a record in it"); }

  Cells& cells_;
};

Cells cells_of(const Any& record) {
  Cells cells;
  CsvWriter writer(cells);
  record.visit(writer);
  return cells;
}

std::string line(const Cells& cells, std::string Cells::value_type::*part) {
  std::string text;
  for (const auto& cell : cells) text += (&cell == &cells.front() ? "" : ",") + cell.*part;
  return text + "\n";
}

}  // namespace

std::string csv_line(const Any& record) {
  return line(cells_of(record), &Cells::value_type::second);
}

std::string csv_line(const Any& record, const std::vector<std::string>& columns) {
  const Cells all = cells_of(record);
  Cells chosen;
  for (const std::string& name : columns) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& cell) { return cell.first == name; });
    if (found == all.end()) throw std::logic_error("a record has no column " + name);
    chosen.push_back(*found);
  }
  return line(chosen, &Cells::value_type::second);
}

std::string csv_head(const Any& record) {
  return line(cells_of(record), &Cells::value_type::first);
}

}  // namespace weft::record
