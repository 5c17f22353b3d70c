#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/core/error.h"

namespace weft::config {

// Origin of a text: a file, or an option of the command line.
struct Source {
  std::string name;           // name in messages: "runs/a.yaml" or "--set kernel.z=4"
  std::filesystem::path dir;  // base of relative paths in the text
  bool option = false;        // an option has no lines
};

struct Place {
  std::shared_ptr<const Source> source;
  int line = 0;
};

// Returns the error of `key` (dotted, from the root of the run) at `place`. A node that the program composed has no
// place: the error then names the key alone.
InputError error_at(const Place& place, const std::string& key, const std::string& message);

// A YAML value and its place. Anchors are expanded, tags refused; keys of a map are unique.
struct Node {
  enum class Kind { Null, Scalar, List, Map };

  Kind kind = Kind::Null;
  Place place;
  std::string key;        // of an entry of a map
  std::string text;       // of a scalar
  bool quoted = false;    // a quoted scalar is text, never a number or a truth value
  bool replaces = false;  // given by name or with `extends`: complete, so it replaces the node below instead of merging
  std::vector<Node> children;  // of a list or a map

  const Node* find(const std::string& wanted) const;  // entry of a map, or nullptr
  Node* find(const std::string& wanted);
  // Replaces or appends an entry; an entry without a place gets the map's.
  void set(const std::string& name, Node value);
  void erase(const std::string& name);
};

// Returns the node at a dotted path below `root`, or nullptr.
const Node* find_path(const Node& root, const std::string& path);

Node scalar_node(const std::string& text, bool quoted = false);
Node list_node(std::vector<Node> items = {});
Node map_node();

// Describes a node for messages: "a map", "'abc'", "the text \"16\"".
std::string describe(const Node& node);

// Parses the one document in `text`. Throws InputError: syntax, duplicate keys, tags, more than one document, nesting
// deeper than 32, anchors that expand beyond 100000 nodes or into themselves.
Node parse_yaml(const std::string& text, const std::shared_ptr<const Source>& source);

// Reads and parses a file of at most 1 MiB.
Node parse_file(const std::filesystem::path& path);

// Returns the node as a YAML document that parses to the same node.
std::string to_yaml(const Node& node);

}  // namespace weft::config
