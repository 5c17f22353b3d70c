#pragma once

#include <algorithm>
#include <cstdint>
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

// Returns the word of `known` that `word` probably means, or "" if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);
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

// One `fields(io, object)` per structure serves reading (MapReader) and writing (MapWriter), so that both agree. An
// optional value that is absent keeps the object's value: only the structure has defaults.
//
// MapReader reports the first wrong value at once. finish() reports unknown keys first, then missing ones: a misspelt
// key explains a missing one better.
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
  // A value with a form of its own: `read(node, key)`. MapWriter uses `write()`, which returns its node.
  template <class Read, class Write>
  void custom(const char* key, Need need, Read read, Write) {
    if (const Node* node = take(key, need)) read(*node, path(key));
  }

  // Returns the place of the key, or of the map if it is absent: for later messages about the value.
  Place place(const char* key) const;

  // A key that is read elsewhere: it is allowed in the file, and messages list it.
  void mention(const char* key) { known_.emplace_back(key); }

  void finish() const;
  InputError error(const char* key, const std::string& message) const;  // at the key, or at the map if it is absent
  // Returns the error of values of `key` and `others` that exclude each other, at the one that was overlaid last: an
  // option, or a key of the file that changed the map last. `message` is about `key`.
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

// A list of maps of the same fields; an empty optional one is not written. `numbered`: messages have the index.
template <class Io, class T, class Fields>
void map_list(Io& io, const char* key, Need need, std::vector<T>& list, Fields fields, bool numbered = false) {
  io.custom(
      key, need,
      [&](const Node& node, const std::string& path) {
        list.clear();
        for (const Node& item : expect_list(node, path).children) {
          const std::string place = numbered ? path + "[" + std::to_string(list.size()) + "]" : path;
          read_map(item, place, list.emplace_back(), fields);
        }
      },
      [&]() -> std::optional<Node> {
        if (list.empty() && need == Need::Optional) return std::nullopt;
        Node nodes = list_node();
        for (const T& each : list) nodes.children.push_back(write_map(each, fields));
        return nodes;
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

template <class Io>
void scaled(Io& io, const char* key, std::int64_t& value, const Scale& scale, Need need = Need::Required) {
  io.custom(
      key, need, [&](const Node& node, const std::string& path) { value = read_scaled(node, path, scale); },
      [&] { return scalar_node(decimal_text(value, scale.unit)); });
}

// `assumed` of a board or host: dotted keys whose values are assumed.
template <class Io>
void assumed_fields(Io& io, std::vector<std::string>& assumed) {
  io.custom(
      "assumed", Need::Optional,
      [&](const Node& node, const std::string& path) {
        assumed.clear();
        for (const Node& item : expect_list(node, path).children) assumed.push_back(read_text(item, path));
      },
      [&]() -> std::optional<Node> {
        Node list = list_node();
        for (const std::string& key : assumed) list.children.push_back(scalar_node(key, true));
        return assumed.empty() ? std::nullopt : std::optional<Node>(std::move(list));
      });
}

// Removes from `assumed` the keys that an override has replaced or set in `node`, at `key` of the run. Throws
// InputError if an override names an absent key; files are checked when they are composed.
inline void drop_settled(std::vector<std::string>& assumed, const Node& node, const std::string& key) {
  const auto by_option = [](const Node& at) { return at.place.source && at.place.source->option; };
  if (const Node* const list = node.find("assumed")) {
    for (const Node& item : list->children) {
      if (!by_option(item) || find_path(node, item.text)) continue;
      throw error_at(item.place, key.empty() ? "assumed" : key + ".assumed",
                     "names '" + item.text + "', which is not given here");
    }
  }
  const auto settled = [&](const std::string& each) {
    const Node* const at = find_path(node, each);
    return !at || by_option(*at);
  };
  assumed.erase(std::remove_if(assumed.begin(), assumed.end(), settled), assumed.end());
}

}  // namespace weft::config
