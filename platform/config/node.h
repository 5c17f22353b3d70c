#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/core/error.h"

namespace weft::config {

// What a text came from: a file, or an option of the command line.
struct Source {
  std::string name;           // as messages name it: "runs/a.yaml" or "--set kernel.z=4"
  std::filesystem::path dir;  // what relative paths written in it are relative to
  bool option = false;        // an option has no lines
};

struct Place {
  std::shared_ptr<const Source> source;
  int line = 0;
};

// The error of `key` (dotted, from the root of the run) at `place`. What the program itself composed has no place; then
// the key stands alone.
InputError error_at(const Place& place, const std::string& key, const std::string& message);

// A YAML value that knows where it stands. Anchors are expanded, tags refused; keys of a map are unique.
struct Node {
  enum class Kind { Null, Scalar, List, Map };

  Kind kind = Kind::Null;
  Place place;
  std::string key;             // of an entry of a map
  std::string text;            // of a scalar
  bool quoted = false;         // a quoted scalar is text, never a number or a truth value
  bool replaces = false;       // given by name or with `extends`: complete, so it is not merged into what it overlays
  std::vector<Node> children;  // of a list or a map

  const Node* find(const std::string& wanted) const;  // the entry of a map, or nullptr
  Node* find(const std::string& wanted);
  // Replaces or appends an entry, which is where the map is if it has no place of its own.
  void set(const std::string& name, Node value);
  void erase(const std::string& name);
};

// The node at a dotted path below `root`, or nullptr.
const Node* find_path(const Node& root, const std::string& path);

Node scalar_node(const std::string& text, bool quoted = false);
Node list_node(std::vector<Node> items = {});
Node map_node();

// "a map", "'abc'", "the text \"16\"": what a node is, for messages.
std::string describe(const Node& node);

// The one document in `text`. Throws InputError: syntax, duplicate keys, tags, more than one document, nesting deeper
// than 32, anchors that expand beyond 100000 nodes or into themselves.
Node parse_yaml(const std::string& text, const std::shared_ptr<const Source>& source);

// Reads and parses a file of at most 1 MiB.
Node parse_file(const std::filesystem::path& path);

// The node as a YAML document that parses to the same node.
std::string to_yaml(const Node& node);

}  // namespace weft::config
