#include "platform/record/csv.h"

#include <fmt/core.h>

#include <stdexcept>

#include "platform/document/text.h"

namespace weft::record {

namespace {

// Names or values of the fields of a flat record. A record in it is a fault of the program.
class CsvWriter final : public Visitor {
 public:
  explicit CsvWriter(bool names) : names_(names) {}

  std::string line() const { return line_ + "\n"; }

 protected:
  void field(const Field& field) override {
    if (!first_) line_ += ",";
    first_ = false;
    if (names_) line_ += field.name;
  }
  bool optional(bool present) override { return present && !names_; }
  bool null(bool is_null) override { return is_null || names_; }
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
  std::size_t begin_named(std::size_t, const Field&) override { nested(); }
  void key(std::size_t, std::string&) override {}
  void end_named() override {}

 private:
  template <class T>
  void add(const T& value) {
    if (!names_) line_ += fmt::format("{}", value);
  }
  [[noreturn]] static void nested() { throw std::logic_error("a line of CSV has a record in it"); }

  bool names_;
  bool first_ = true;
  std::string line_;
};

std::string line(const Any& record, bool names) {
  CsvWriter writer(names);
  record.visit(writer);
  return writer.line();
}

}  // namespace

std::string csv_line(const Any& record) {
  return line(record, false);
}

std::string csv_head(const Any& record) {
  return line(record, true);
}

}  // namespace weft::record
