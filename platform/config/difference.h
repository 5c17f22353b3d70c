#pragma once

#include <string>
#include <vector>

#include "platform/config/node.h"
#include "platform/record/record.h"

namespace weft::config {

// A key whose value is another in one of two trees.
struct Difference {
  std::string key;   // dotted; empty: the trees as a whole
  std::string a, b;  // as one line of YAML; empty where the key is absent
};

// In the order of the first tree's keys, those that only the second has behind. Lists differ as a whole.
std::vector<Difference> differences(const Node& a, const Node& b);

// As a result has it: null in place of no text.
void fields(record::Visitor& io, Difference& difference);

// A node on one line: "[1, 2]", "{x: 4, y: 8}".
std::string flow_text(const Node& node);

}  // namespace weft::config
