#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/core/frequency.h"
#include "platform/config/node.h"

namespace weft::config {

// Names of the values of an enumeration in files: {{"hls", Base::Hls}, ...}.
template <class E>
using Names = std::vector<std::pair<const char*, E>>;

enum class Need { Required, Optional };

inline constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();

// Returns the unit in the name of a key: "MHz" for kernel.clock_mhz; "" if there is none.
std::string unit_of_key(const std::string& key);

// Returns the word of `known` that `word` probably means, or "" if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);
// Returns at most `most` such words, the nearest first.
std::vector<std::string> nearest_of(const std::string& word, const std::vector<std::string>& known, std::size_t most);
// Returns "; did you mean 'x'? (known: a, b, x)".
std::string suggestion(const std::string& word, const std::vector<std::string>& known);
std::string join(const std::vector<std::string>& words, const char* separator = ", ");

// Parses a positive decimal exactly: "100", "33.25" or "1000/3". Returns nothing if `text` is none or does not fit.
std::optional<Rational> parse_exact(const std::string& text);
std::string exact_text(const Rational& value);

// Checked values of single nodes; `key` is dotted from the root. All throw InputError at the node's place.
// Refuses a whole number that begins with 0, which YAML 1.1 and 1.2 read differently.
void refuse_leading_zero(const Node& node, const std::string& key);
std::int64_t read_integer(const Node& node, const std::string& key, std::int64_t low, std::int64_t high);
double read_real(const Node& node, const std::string& key, double low, double high);
bool read_boolean(const Node& node, const std::string& key);
std::string read_text(const Node& node, const std::string& key);
Rational read_exact(const Node& node, const std::string& key, std::int64_t low, std::int64_t high);
std::size_t read_choice(const Node& node, const std::string& key, const std::vector<std::string>& names);
const Node& expect_map(const Node& node, const std::string& key);
const Node& expect_list(const Node& node, const std::string& key);

class MapReader;

// A JSON Schema, as the node of a map. Values of keys that have a form of their own are described by these functions.
namespace schema {
Node integer(std::int64_t low, std::int64_t high);
Node number(double low, double high);
Node text();
Node choice(const std::vector<std::string>& words);
Node list_of(Node item);
Node map_of(Node value);  // a map with free keys
void close(Node& map);    // allows no other keys
Node any_of(std::vector<Node> nodes);
Node reference(const std::string& target);
Node file(const std::string& kind);  // the name of a file of the kind, or its map
}  // namespace schema

// Form of a value of one type in files. `read` throws InputError for a wrong value; `key` is dotted, for messages.
// `write` returns nothing for a value that is not written, and is null if none is ever written.
template <class T>
struct Form {
  std::function<T(const Node& node, const std::string& key)> read;
  std::function<std::optional<Node>(const T& value)> write;
  std::function<Node()> shape;  // JSON Schema
};

namespace form {
template <class T = int>
Form<T> integer(std::int64_t low, std::int64_t high) {
  return {[=](const Node& node, const std::string& key) { return static_cast<T>(read_integer(node, key, low, high)); },
          [](const T& value) { return scalar_node(std::to_string(value)); },
          [=] { return schema::integer(low, high); }};
}
Form<double> real(double low, double high);
Form<bool> boolean();
Form<std::string> text();                                   // not written if empty
Form<Rational> exact(std::int64_t low, std::int64_t high);  // positive
Form<Rational> exact_or_zero(std::int64_t high);
Form<std::filesystem::path> path();  // relative to the file that gives it, or to the working folder in an option
}  // namespace form

// The keys of one map in a file. One `fields(io, object)` per structure lists its keys, their values, ranges and
// defaults; it serves reading (MapReader), writing (MapWriter) and describing (MapSchema), so that the three agree. An
// optional value that is absent keeps the object's value: only the structure has defaults.
class MapIo {
 public:
  using Read = std::function<void(const Node& node, const std::string& key)>;  // `key`: dotted, for messages
  using Write = std::function<std::optional<Node>()>;                          // nothing: the key is not written
  using Shape = std::function<Node()>;  // JSON Schema of the value; called by MapSchema and for a missing key
  using Fields = std::function<void(MapIo&)>;

  virtual ~MapIo() = default;

  // The reader, to check values and to report errors; null unless this reads.
  virtual MapReader* reader() { return nullptr; }
  virtual bool writes() const { return false; }
  virtual bool describes() const { return false; }

  // A key that is read elsewhere: it is allowed in the file, and messages list it.
  void mention(const char* key, const Shape& shape = schema::text);
  // A value with a form of its own. Null `write`: the key is never written. Null `shape`: any value.
  void custom(const char* key, Need need, const Read& read, const Write& write, const Shape& shape = nullptr) {
    field(key, need, read, write, shape);
  }
  template <class T>
  void value(const char* key, T& value, const Form<T>& form, Need need = Need::Optional) {
    const Write write = form.write ? Write([&] { return form.write(value); }) : nullptr;
    const Read read = [&](const Node& node, const std::string& path) { value = form.read(node, path); };
    if (need == Need::Required) return custom(key, need, read, write, form.shape);
    custom(key, need, read, write, [&] { return with_default(form.shape(), read, write); });
  }
  // A value that may be absent: `null` removes what another file gives.
  template <class T>
  void value(const char* key, std::optional<T>& value, const Form<T>& form) {
    custom(
        key, Need::Optional,
        [&](const Node& node, const std::string& path) {
          value.reset();
          if (node.kind != Node::Kind::Null) value = form.read(node, path);
        },
        [&] { return value ? form.write(*value) : std::nullopt; }, form.shape);
  }
  // A list of values; an empty optional one is not written. `check` throws InputError for an item that may not follow
  // those before it.
  template <class T>
  void list(const char* key, std::vector<T>& values, const Form<T>& form, Need need = Need::Optional,
            const std::function<void(const Node& item, const std::string& key, const T& value)>& check = nullptr) {
    custom(
        key, need,
        [&](const Node& node, const std::string& path) {
          values.clear();
          for (const Node& item : expect_list(node, path).children) {
            T value = form.read(item, path);
            if (check) check(item, path, value);
            values.push_back(std::move(value));
          }
        },
        !form.write ? Write() : [&]() -> std::optional<Node> {
          if (values.empty() && need == Need::Optional) return std::nullopt;
          Node list = list_node();
          for (const T& value : values) list.children.push_back(*form.write(value));
          return list;
        },
        [&] { return schema::list_of(form.shape()); });
  }
  // Such a list whose values must ascend.
  template <class T>
  void ascending_list(const char* key, std::vector<T>& values, const Form<T>& form) {
    list<T>(key, values, form, Need::Optional, [&](const Node& item, const std::string& path, const T& value) {
      if (values.empty() || values.back() < value) return;
      throw error_at(item.place, path,
                     "must ascend, but " + form.write(value)->text + " follows " + form.write(values.back())->text);
    });
  }

  template <class T>
  void integer(const char* key, T& value, std::int64_t low, std::int64_t high, Need need = Need::Optional) {
    auto whole = static_cast<std::int64_t>(value);
    integer(key, whole, low, high, need);
    value = static_cast<T>(whole);
  }
  void integer(const char* key, std::int64_t& value, std::int64_t low, std::int64_t high, Need need = Need::Optional);
  void real(const char* key, double& value, double low, double high, Need need = Need::Optional);
  void boolean(const char* key, bool& value, Need need = Need::Optional);
  void text(const char* key, std::string& value, Need need = Need::Optional);  // not written if empty
  void exact(const char* key, Rational& value, std::int64_t low, std::int64_t high, Need need = Need::Optional);
  template <class E>
  void choice(const char* key, E& value, const Names<E>& names, Need need = Need::Optional) {
    std::vector<std::string> words;
    std::size_t chosen = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
      words.emplace_back(names[i].first);
      if (names[i].second == value) chosen = i;
    }
    word(key, chosen, words, need);
    if (chosen < names.size()) value = names[chosen].second;
  }
  void map(const char* key, Need need, const Fields& fields);
  template <class T, class FieldsOf>
  void optional_map(const char* key, std::optional<T>& value, FieldsOf fields) {
    std::optional<T> described = describes() ? std::optional<T>(std::in_place) : std::nullopt;
    std::optional<T>& object = described ? described : value;
    optional_map(
        key, Need::Optional, object.has_value(), [&] { object.emplace(); }, [&](MapIo& io) { fields(io, *object); });
  }
  // A list of maps of the same fields; an empty optional one is not written. `numbered`: messages have the index.
  template <class T, class FieldsOf>
  void map_list(const char* key, Need need, std::vector<T>& list, FieldsOf fields, bool numbered = false) {
    std::vector<T> described(1);
    std::vector<T>& items = describes() ? described : list;
    map_list(
        key, need, numbered, [&] { return items.size(); }, [&](std::size_t n) { items.resize(n); },
        [&](MapIo& io, std::size_t i) { fields(io, items[i]); });
  }

 private:
  virtual void field(const char* key, Need need, const Read& read, const Write& write, const Shape& shape) = 0;
  // Returns the schema with the value that `write` returns as its default, if `read` allows it.
  static Node with_default(Node shape, const Read& read, const Write& write);
  void word(const char* key, std::size_t& chosen, const std::vector<std::string>& words, Need need);
  void optional_map(const char* key, Need need, bool given, const std::function<void()>& emplace, const Fields& fields);
  void map_list(const char* key, Need need, bool numbered, const std::function<std::size_t()>& size,
                const std::function<void(std::size_t)>& resize, const std::function<void(MapIo&, std::size_t)>& fields);
};

// MapReader reports the first wrong value at once. finish() reports unknown keys first, then missing ones: a misspelt
// key explains a missing one better.
class MapReader : public MapIo {
 public:
  MapReader(const Node& node, std::string path) : node_(expect_map(node, path)), path_(std::move(path)) {}

  MapReader* reader() override { return this; }

  // Returns the place of the key, or of the map if it is absent: for later messages about the value.
  Place place(const char* key) const;

  void finish() const;
  InputError error(const char* key, const std::string& message) const;  // at the key, or at the map if it is absent
  // Returns the error of values of `key` and `others` that exclude each other, at the one that was overlaid last: an
  // option, or a key of the file that changed the map last. `message` is about `key`.
  InputError clash(const char* key, const std::vector<const char*>& others, const std::string& message) const;
  std::string path(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

 private:
  void field(const char* key, Need need, const Read& read, const Write& write, const Shape& shape) override;

  const Node& node_;
  std::string path_;
  std::vector<std::string> known_;
  std::vector<std::pair<std::string, std::string>> missing_;  // key and allowed values, for the message
};

class MapWriter : public MapIo {
 public:
  bool writes() const override { return true; }
  Node take() { return std::move(node_); }

 private:
  void field(const char* key, Need need, const Read& read, const Write& write, const Shape& shape) override;

  Node node_ = map_node();
};

// The JSON Schema of a map: its properties, and `x-required`, the keys that a complete map has. Keys that a file leaves
// to the one that it extends are not required there.
class MapSchema : public MapIo {
 public:
  bool describes() const override { return true; }
  Node take();

 private:
  void field(const char* key, Need need, const Read& read, const Write& write, const Shape& shape) override;

  Node properties_ = map_node();
  Node required_ = list_node();
};

// Reads `object` from the map `node`; `fields(io, object)` lists its fields.
template <class T, class Fields>
void read_map(const Node& node, const std::string& path, T& object, Fields fields) {
  MapReader reader(node, path);
  fields(reader, object);
  reader.finish();
}
// Writes the map that read_map() reads.
template <class T, class Fields>
Node write_map(T object, Fields fields) {
  MapWriter writer;
  fields(writer, object);
  return writer.take();
}
// Returns the schema of the map that read_map() reads.
template <class T, class Fields>
Node describe_map(T object, Fields fields) {
  MapSchema io;
  fields(io, object);
  return io.take();
}

// "auto" (no number) or a whole number.
template <class T>
void auto_or_integer(MapIo& io, const char* key, std::optional<T>& value, std::int64_t low, std::int64_t high) {
  io.custom(
      key, Need::Optional,
      [&, low, high](const Node& node, const std::string& path) {
        value.reset();
        if (node.kind == Node::Kind::Scalar && node.text == "auto") return;
        if (node.kind != Node::Kind::Scalar || node.quoted ||
            node.text.find_first_not_of("0123456789+-") != std::string::npos) {
          throw error_at(node.place, path, "must be auto or a whole number, not " + describe(node));
        }
        value = static_cast<T>(read_integer(node, path, low, high));
      },
      [&] { return scalar_node(value ? std::to_string(*value) : "auto"); },
      [low, high] {
        return schema::any_of({schema::choice({"auto"}), schema::integer(low, high)});
      });
}

// Scale of a decimal in a file to an integer here, in units of 10^-decimals.
struct Scale {
  int decimals;
  std::int64_t unit;  // 10^decimals
  std::int64_t most;  // maximum of the decimal
  bool zero;          // 0 is allowed
};

inline constexpr Scale kNanoseconds{3, 1000, 1'000'000, true};  // picoseconds here

std::int64_t read_scaled(const Node& node, const std::string& key, const Scale& scale);
std::string decimal_text(std::int64_t value, std::int64_t unit);

void scaled(MapIo& io, const char* key, std::int64_t& value, const Scale& scale, Need need = Need::Required);

// `assumed` of a board or host: dotted keys whose values are assumed.
void assumed_fields(MapIo& io, std::vector<std::string>& assumed);

// `run`, `set` and `extends` of a file about a run; Experiment reads them.
void experiment_fields(MapIo& io);

// Removes from `assumed` the keys that an override has replaced or set in `node`, at `key` of the run. Throws
// InputError if an override names an absent key; files are checked when they are composed.
void drop_settled(std::vector<std::string>& assumed, const Node& node, const std::string& key);

}  // namespace weft::config
