#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/core/text.h"

// Records: results with one description. For each record R a function `void fields(Visitor& io, R& r)`, found by
// argument-dependent lookup, lists its keys in order, each with unit and meaning:
//
//     void fields(Visitor& io, Loads& x) {
//       io("count", "loads", "loads of bitstreams in an iteration", x.count);
//       io("load_seconds", "s", "time of one load", x.load_seconds);
//     }
//
// JSON and its schema (json.h), columns and CSV (csv.h) and bytes (bytes.h) derive from it. It must visit the same
// fields for every value of the record: a key that may be absent is a std::optional.
namespace weft::record {

// A key. `unit`: of a number, "1" for a share or a ratio; empty for all other types.
struct Field {
  const char* name = "";
  const char* unit = "";
  const char* meaning = "";
};

// Returns "0.1.0+3f2a9c1b7d5e": version and digest of the sources that decide results. In the head of every result.
std::string weft_version();

// A column of a table: a key of a flat record, or of a row that a list of such columns describes.
struct Column {
  std::string name;
  std::string type;  // SQLite type: INTEGER, REAL, TEXT or BOOLEAN (values 1 and 0); empty: any of them
  std::string unit, meaning;
};

// Values with names that the user gave: a JSON object without keys of its own.
template <class T>
using Named = std::vector<std::pair<std::string, T>>;

// Returns the value of this name, or nullptr.
template <class T>
const T* find(const Named<T>& values, std::string_view name) {
  for (const auto& [each, value] : values) {
    if (each == name) return &value;
  }
  return nullptr;
}

// A name that values may have, with unit and meaning of its value. `type`: of a Value, in terms of JSON Schema.
struct Word {
  std::string name, unit, meaning;
  const char* type = "";
  bool nullable = false;
};
using Words = std::vector<Word>;

class Visitor {
 public:
  Visitor() = default;
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  virtual ~Visitor() = default;

  // Visits a field: a number, a text, a flag, a Value, a record, a number or a Value that a record may replace
  // (std::variant), a list or Named values of these, an array of numbers, or an optional one.
  template <class T>
  void operator()(const char* name, const char* unit, const char* meaning, T& value) {
    field({name, unit, meaning});
    visit(value);
  }
  template <class T>
  void operator()(const char* name, const char* meaning, T& value) {
    (*this)(name, "", meaning, value);
  }
  // Visits an optional value whose key is always present: null if there is no value.
  template <class T>
  void nullable(const char* name, const char* unit, const char* meaning, std::optional<T>& value) {
    field({name, unit, meaning});
    if (null(!value)) return value.reset();
    if (!value) value.emplace();
    visit(*value);
  }
  // Visits a cell of a row that its columns describe: null, or a value of the column's type.
  void cell(const Column& column, Value& value);
  // Visits a list or Named values whose items have a unit and a meaning of their own.
  template <class List>
  void list(const char* name, const char* meaning, const char* unit, const char* item, List& values) {
    field({name, "", meaning});
    visit_list(values, {"", unit, item});
  }
  // Visits a list of lists; `each`: meaning of one of them.
  template <class List>
  void lists(const char* name, const char* meaning, const char* each, const char* unit, const char* item,
             std::vector<List>& values) {
    field({name, "", meaning});
    visit_list(values, {"", "", each}, [&](List& list) { visit_list(list, {"", unit, item}); });
  }
  template <class T>
  void named(const char* name, const char* meaning, const char* unit, const char* item, Named<T>& values) {
    group(name, meaning, [&](Visitor& io) { io.others(unit, item, values); });
  }
  // Visits keys that are names, in the current object, in addition to its fields.
  template <class T>
  void others(const char* unit, const char* item, Named<T>& values) {
    names([this, of = Field{"", unit, item}, &values] { visit_named(values, of); });
  }
  // Visits values with names from a table (a design's blocks or parameters), among the fields of the current object. A
  // reader accepts no other names.
  template <class T>
  void words(const Words& table, Named<T>& values) {
    names([this, &table, &values] { visit_each(values, begin_words(values.size(), table)); });
  }
  template <class T>
  void words(const char* name, const char* meaning, const Words& table, Named<T>& values) {
    group(name, meaning, [&](Visitor& io) { io.words(table, values); });
  }
  template <class T>
  void words(const char* name, const char* meaning, const Words& table, std::optional<Named<T>>& values) {
    field({name, "", meaning});
    if (!optional(values.has_value())) return values.reset();
    if (!values) values.emplace();
    begin();
    words(table, *values);
    end();
  }
  // Visits one of `count` values of an enumeration, as the text of its to_string().
  template <class E>
  void choice(const char* name, const char* meaning, E& value, std::size_t count) {
    field({name, "", meaning});
    std::vector<std::string> words;
    for (std::size_t i = 0; i < count; ++i) words.emplace_back(to_string(static_cast<E>(i)));
    std::size_t index = static_cast<std::size_t>(value);
    one_of(words, index);
    value = static_cast<E>(index);
  }
  // Visits keys of the record that are in an object of their own: `fields(*this)`.
  template <class Fields>
  void group(const char* name, const char* meaning, Fields fields) {
    field({name, "", meaning});
    begin();
    fields(*this);
    end();
  }
  // Visits the head of each result: its kind, as in `weft show schema`; the version of its form, which grows when a key
  // changes its meaning or is removed; and the version of weft that made it.
  void head(const char* kind, int version, std::string& weft_version) {
    field({"kind", "", "kind of the result"});
    is(kind);
    field({"schema", "version", "version of the schema; raised when a key changes its meaning or is removed"});
    form(version);
    (*this)("weft_version", "version of weft that wrote the result", weft_version);
  }

 protected:
  virtual void field(const Field& field) = 0;  // the next call visits its value
  // Returns true if the key is present; `present`: the record has it.
  virtual bool optional(bool present) = 0;
  virtual bool null(bool is_null) = 0;
  // Returns true if a record replaces a number or a Value; `is_record`: the value is a record.
  virtual bool record_instead(bool is_record) = 0;
  virtual void integer(std::int64_t& value, std::int64_t low, std::int64_t high) = 0;
  virtual void real(double& value) = 0;
  virtual void text(std::string& value) = 0;
  virtual void flag(bool& value) = 0;
  virtual void any(Value& value) = 0;
  virtual void one_of(const std::vector<std::string>& words, std::size_t& index) = 0;
  virtual void is(const char* kind) = 0;
  virtual void form(int current) = 0;
  virtual void begin() = 0;
  virtual void end() = 0;
  // Returns the number of items to visit; item() comes before each. `of`: unit and meaning of an item.
  virtual std::size_t begin_list(std::size_t size, const Field& of) = 0;
  virtual void item(std::size_t index) = 0;
  virtual void end_list() = 0;
  // Visits names among the fields of an object. A reader delays this until it knows all fields.
  virtual void names(const std::function<void()>& visit) { visit(); }
  virtual std::size_t begin_named(std::size_t size, const Field& of) = 0;
  virtual std::size_t begin_words(std::size_t size, const Words&) { return begin_named(size, {}); }
  virtual void key(std::size_t index, std::string& name) = 0;

 private:
  template <class T>
  void cell_of(const Column& column, Value& value);
  template <class T>
  void visit(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      flag(value);
    } else if constexpr (std::is_integral_v<T>) {
      auto wide = static_cast<std::int64_t>(value);
      constexpr bool kWide = sizeof(T) >= sizeof(std::int64_t);
      integer(
          wide, std::is_unsigned_v<T> ? 0 : static_cast<std::int64_t>(std::numeric_limits<T>::min()),
          kWide ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(std::numeric_limits<T>::max()));
      value = static_cast<T>(wide);
    } else if constexpr (std::is_same_v<T, double>) {
      real(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      text(value);
    } else if constexpr (std::is_same_v<T, Value>) {
      any(value);
    } else {
      begin();
      fields(*this, value);
      end();
    }
  }
  template <class T>
  void visit(std::optional<T>& value) {
    if (!optional(value.has_value())) return value.reset();
    if (!value) value.emplace();
    visit(*value);
  }
  template <class T, class R>
  void visit(std::variant<T, R>& value) {
    const bool is_record = record_instead(value.index() == 1);
    if (is_record && value.index() == 0) value = R();
    if (!is_record && value.index() == 1) value = T{};
    std::visit([this](auto& each) { visit(each); }, value);
  }
  template <class T>
  void visit(std::vector<T>& values) {
    visit_list(values, {});
  }
  template <class T>
  void visit(Named<T>& values) {
    begin();
    others("", "", values);
    end();
  }
  template <class T>
  void visit_list(std::vector<T>& values, const Field& of) {
    visit_list(values, of, [this](T& value) { visit(value); });
  }
  template <class T, class Visit>
  void visit_list(std::vector<T>& values, const Field& of, Visit visit_item) {
    values.resize(begin_list(values.size(), of));
    for (std::size_t i = 0; i < values.size(); ++i) {
      item(i);
      visit_item(values[i]);
    }
    end_list();
  }
  template <class T, std::size_t N>
  void visit_list(std::array<T, N>& values, const Field& of) {
    begin_list(N, of);
    for (std::size_t i = 0; i < N; ++i) {
      item(i);
      visit(values[i]);
    }
    end_list();
  }
  template <class List>
  void visit_list(std::optional<List>& values, const Field& of) {
    if (!optional(values.has_value())) return values.reset();
    if (!values) values.emplace();
    visit_list(*values, of);
  }
  template <class T>
  void visit_named(Named<T>& values, const Field& of) {
    visit_each(values, begin_named(values.size(), of));
  }
  template <class T>
  void visit_each(Named<T>& values, std::size_t size) {
    values.resize(size);
    for (std::size_t i = 0; i < values.size(); ++i) {
      key(i, values[i].first);
      visit(values[i].second);
    }
  }
};

// A record of any type, for writers, which do not change it.
class Any {
 public:
  template <class R>
  // NOLINTNEXTLINE(google-explicit-constructor): any record is one
  Any(const R& record)
      : record_(&record), visit_([](Visitor& io, const void* of) {
          // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): see above
          fields(io, const_cast<R&>(*static_cast<const R*>(of)));
        }) {}
  void visit(Visitor& io) const { visit_(io, record_); }

 private:
  const void* record_;
  void (*visit_)(Visitor&, const void*);
};

}  // namespace weft::record
