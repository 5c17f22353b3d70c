#pragma once

#include <string>
#include <vector>

#include "platform/config/node.h"
#include "platform/record/record.h"

namespace weft::config {

// A key whose values differ in two trees.
struct Difference {
  std::string key;   // dotted; empty: the whole trees
  std::string a, b;  // as one line of YAML; empty if the key is absent
};

// Returns differences in the order of the first tree's keys, then keys of the second alone. Lists compare as a whole.
std::vector<Difference> differences(const Node& a, const Node& b);

// Fields of a result: null in place of an empty text.
void fields(record::Visitor& io, Difference& difference);

// Returns a node on one line: "[1, 2]", "{x: 4, y: 8}".
std::string flow_text(const Node& node);

}  // namespace weft::config
