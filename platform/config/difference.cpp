#include "platform/config/difference.h"

#include <optional>
#include <utility>

namespace weft::config {

namespace {

bool equal(const Node& a, const Node& b) {
  return flow_text(a) == flow_text(b);
}

void compare(const Node& a, const Node& b, const std::string& path, std::vector<Difference>& found) {
  if (a.kind != Node::Kind::Map || b.kind != Node::Kind::Map) {
    if (!equal(a, b)) found.push_back({path, flow_text(a), flow_text(b)});
    return;
  }
  const auto path_of = [&](const Node& child) { return path.empty() ? child.key : path + "." + child.key; };
  for (const Node& child : a.children) {
    if (const Node* other = b.find(child.key)) {
      compare(child, *other, path_of(child), found);
    } else {
      found.push_back({path_of(child), flow_text(child), ""});
    }
  }
  for (const Node& child : b.children) {
    if (!a.find(child.key)) found.push_back({path_of(child), "", flow_text(child)});
  }
}

}  // namespace

std::vector<Difference> differences(const Node& a, const Node& b) {
  std::vector<Difference> found;
  compare(a, b, "", found);
  return found;
}

void fields(record::Visitor& io, Difference& difference) {
  io("key", "dotted path of the key", difference.key);
  for (const auto& [name, value] : {std::pair("a", &difference.a), std::pair("b", &difference.b)}) {
    std::optional<std::string> given;
    if (!value->empty()) given = *value;
    io.nullable(name, "", "value on this side; null if not given", given);
    *value = given.value_or("");
  }
}

std::string flow_text(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      return "null";
    case Node::Kind::Scalar:
      return node.text;
    case Node::Kind::List:
    case Node::Kind::Map:
      break;
  }
  const bool map = node.kind == Node::Kind::Map;
  std::string text;
  for (const Node& child : node.children) {
    text += (text.empty() ? "" : ", ") + (map ? child.key + ": " : "") + flow_text(child);
  }
  return map ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace weft::config
