#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/core/frequency.h"
#include "platform/config/node.h"

namespace weft::config {

// How files spell the values of an enumeration: {{"hls", Base::Hls}, ...}.
template <class E>
using Names = std::vector<std::pair<const char*, E>>;

enum class Need { Required, Optional };

inline constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();

// The word of `known` that was probably meant by `word`, or "" if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);
// "; did you mean 'x'? (known: a, b, x)"
std::string suggestion(const std::string& word, const std::vector<std::string>& known);
std::string join(const std::vector<std::string>& words, const char* separator = ", ");

// A positive decimal, exactly: "100", "33.25" or "1000/3". Nothing if `text` is none or does not fit.
std::optional<Rational> parse_exact(const std::string& text);
std::string exact_text(const Rational& value);

// Checked values of single nodes; `key` is dotted from the root. They throw InputError at the node's place.
// Refuses a whole number that begins with 0, which two versions of YAML read as two numbers.
void refuse_leading_zero(const Node& node, const std::string& key);
std::int64_t read_integer(const Node& node, const std::string& key, std::int64_t low, std::int64_t high);
double read_real(const Node& node, const std::string& key, double low, double high);
bool read_boolean(const Node& node, const std::string& key);
std::string read_text(const Node& node, const std::string& key);
Rational read_exact(const Node& node, const std::string& key, std::int64_t low, std::int64_t high);
std::size_t read_choice(const Node& node, const std::string& key, const std::vector<std::string>& names);
const Node& expect_map(const Node& node, const std::string& key);
const Node& expect_list(const Node& node, const std::string& key);

// One `fields(io, object)` per structure serves reading (MapReader) and writing (MapWriter), so that what is read is
// what is written. A value that is absent and optional keeps what the object holds: its default stands in the structure
// alone.
//
// MapReader reports the first wrong value at once, and in finish() first keys nobody asked for, then what is missing:
// a misspelt key is the better explanation of a missing one.
class MapReader {
 public:
  static constexpr bool kReads = true;

  MapReader(const Node& node, std::string path) : node_(expect_map(node, path)), path_(std::move(path)) {}

  template <class T>
  void integer(const char* key, T& value, std::int64_t low, std::int64_t high, Need need = Need::Optional) {
    if (const Node* node = take(key, need)) value = static_cast<T>(read_integer(*node, path(key), low, high));
  }
  void real(const char* key, double& value, double low, double high, Need need = Need::Optional) {
    if (const Node* node = take(key, need)) value = read_real(*node, path(key), low, high);
  }
  void boolean(const char* key, bool& value, Need need = Need::Optional) {
    if (const Node* node = take(key, need)) value = read_boolean(*node, path(key));
  }
  void text(const char* key, std::string& value, Need need = Need::Optional) {
    if (const Node* node = take(key, need)) value = read_text(*node, path(key));
  }
  void exact(const char* key, Rational& value, std::int64_t low, std::int64_t high, Need need = Need::Optional) {
    if (const Node* node = take(key, need)) value = read_exact(*node, path(key), low, high);
  }
  template <class E>
  void choice(const char* key, E& value, const Names<E>& names, Need need = Need::Optional) {
    if (const Node* node = take(key, need)) {
      std::vector<std::string> words;
      for (const auto& name : names) words.emplace_back(name.first);
      value = names[read_choice(*node, path(key), words)].second;
    }
  }
  template <class Fields>
  void map(const char* key, Need need, Fields fields) {
    if (const Node* node = take(key, need)) {
      MapReader reader(*node, path(key));
      fields(reader);
      reader.finish();
    }
  }
  template <class T, class Fields>
  void optional_map(const char* key, std::optional<T>& value, Fields fields) {
    if (const Node* node = take(key, Need::Optional)) {
      value.emplace();
      MapReader reader(*node, path(key));
      fields(reader, *value);
      reader.finish();
    }
  }
  // A value with a form of its own: `read(node, key)`; `write()`, which gives its node, is the writer's.
  template <class Read, class Write>
  void custom(const char* key, Need need, Read read, Write) {
    if (const Node* node = take(key, need)) read(*node, path(key));
  }

  // Of the key if it is there, else of the map: for messages about the value later on.
  Place place(const char* key) const;

  // A key that is read elsewhere: it may stand in the file, and messages list it.
  void mention(const char* key) { known_.emplace_back(key); }

  void finish() const;
  InputError error(const char* key, const std::string& message) const;  // at the key if it is there, else at the map
  // What `key` and `others` say does not go together. At the one that was laid over the others last, for that one made
  // it so: an option, or what stands in the file that the map was last changed by. `message` is about `key`.
  InputError clash(const char* key, const std::vector<const char*>& others, const std::string& message) const;
  std::string path(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

 private:
  const Node* take(const char* key, Need need);

  const Node& node_;
  std::string path_;
  std::vector<std::string> known_;
  std::vector<std::string> missing_;
};

class MapWriter {
 public:
  static constexpr bool kReads = false;

  template <class T>
  void integer(const char* key, T& value, std::int64_t, std::int64_t, Need = Need::Optional) {
    node_.set(key, scalar_node(std::to_string(value)));
  }
  void real(const char* key, double& value, double low, double high, Need need = Need::Optional);
  void boolean(const char* key, bool& value, Need = Need::Optional) {
    node_.set(key, scalar_node(value ? "true" : "false"));
  }
  void text(const char* key, std::string& value, Need = Need::Optional) {
    if (!value.empty()) node_.set(key, scalar_node(value, true));
  }
  void exact(const char* key, Rational& value, std::int64_t, std::int64_t, Need = Need::Optional) {
    node_.set(key, scalar_node(exact_text(value)));
  }
  template <class E>
  void choice(const char* key, E& value, const Names<E>& names, Need = Need::Optional) {
    for (const auto& name : names) {
      if (name.second == value) return node_.set(key, scalar_node(name.first));
    }
  }
  template <class Fields>
  void map(const char* key, Need, Fields fields) {
    MapWriter writer;
    fields(writer);
    node_.set(key, writer.take());
  }
  template <class T, class Fields>
  void optional_map(const char* key, std::optional<T>& value, Fields fields) {
    if (!value) return;
    MapWriter writer;
    fields(writer, *value);
    node_.set(key, writer.take());
  }
  template <class Read, class Write>
  void custom(const char* key, Need, Read, Write write) {
    std::optional<Node> node = write();
    if (node) node_.set(key, std::move(*node));
  }

  Node take() { return std::move(node_); }

 private:
  Node node_ = map_node();
};

}  // namespace weft::config
